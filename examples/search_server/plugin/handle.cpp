#include "plugin/handle.h"

#include <dlfcn.h>
#include <link.h>
#include <spdlog/fmt/fmt.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "http/log.h"

namespace search_server {
namespace {

/// Where the dynamic linker finds a library without a slash in its name.
std::string found_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr)
    throw std::runtime_error(std::string(dlerror()) + "; index.library or --library names it");
  link_map* map = nullptr;
  std::string path = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : name;
  dlclose(library);
  return path;
}

std::string name_of(int copy) { return "/proc/self/fd/" + std::to_string(copy); }

Problem problem_of(kindred_errc code, const std::string& text) {
  if (code == KINDRED_INVALID_ARGUMENT) return Problem(400, "refused", text);
  if (code == KINDRED_NOT_FOUND) return Problem(404, "not-found", text);
  if (code == KINDRED_UNSUPPORTED) return Problem(403, "unsupported", text);
  if (code == KINDRED_CANCELED) return busy("too-slow", text);
  if (code == KINDRED_INTERNAL) return Problem(500, "internal", text);
  return busy("index-unavailable", text);
}

/// Is the text about the request? Else it is about this machine.
bool is_for_client(kindred_errc code) {
  return code == KINDRED_INVALID_ARGUMENT || code == KINDRED_NOT_FOUND ||
         code == KINDRED_UNSUPPORTED;
}

void replace_all(std::string& text, const std::string& old, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(old, at)) != text.npos; at += by.size())
    text.replace(at, old.size(), by);
}

}  // namespace

Library::Library() : copy_(memfd_create("libkindred", MFD_CLOEXEC)) {}

Library::Library(const std::string& given) : Library() {
  const std::string path = found_path(given);
  const auto require = [&path](bool holds, const std::string& fault) {
    if (!holds) throw std::runtime_error(path + ": " + fault);
  };
  std::ifstream file(path, std::ios::binary);
  require(file && std::ofstream(name_of(copy_), std::ios::binary) << file.rdbuf(),
          "cannot read the library");
  library_ = dlopen(name_of(copy_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) require(false, dlerror());
  void* const found = dlsym(library_, "kindred_plugin");
  require(found != nullptr, "expected a library with kindred_plugin()");
  functions_ = reinterpret_cast<const kindred_descriptor* (*)()>(found)();
  require(functions_->abi_version == KINDRED_ABI_VERSION,
          fmt::format("expected ABI version {}, found {}", KINDRED_ABI_VERSION,
                      functions_->abi_version));
  require(functions_->size >= sizeof(kindred_descriptor),
          "version " + std::string(functions_->version) + " is older than this server");
}

Library::~Library() {
  if (library_ != nullptr) dlclose(library_);
  // The linker knows a library by its name. Where it keeps the library nevertheless, its name stays
  // taken.
  if (void* kept = dlopen(name_of(copy_).c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
    dlclose(kept);
  } else {
    close(copy_);
  }
}

PluginError::PluginError(kindred_errc code, const std::string& text)
    : Problem(problem_of(code, text)), code_(code) {}

Problem busy(const std::string& type, const std::string& detail) {
  return Problem(503, type, detail).with("Retry-After", "2");
}

Handle::Handle(std::shared_ptr<const Library> library, HandleOptions options)
    : library_(std::move(library)), options_(std::move(options)) {
  kindred_open_options open = KINDRED_OPEN_OPTIONS_INIT;
  const std::string &path = options_.settings_path, &settings = options_.settings;
  open.flags = KINDRED_HOST_TUNES | (options_.create ? KINDRED_CREATE : 0);
  open.settings_path = {path.data(), path.size()};
  if (path.empty()) open.settings = {settings.data(), settings.size()};
  open.log = [](void*, const char* message, std::size_t size) {
    log_event(LogLevel::kInfo, "plugin", {{"message", std::string_view(message, size)}});
  };
  // The library calls back with this object, and takes a pointer that is not const.
  open.on_document_user = const_cast<HandleOptions*>(&options_);
  open.on_document = [](void* user, const kindred_document_report* report) {
    static_cast<const HandleOptions*>(user)->on_document(*report);
  };
  const std::string& database = options_.database;
  check(library_->functions().open(database.data(), database.size(), &open, &handle_));
}

std::string Handle::ask_text(const std::string& question, const Json& request,
                             const Step& step) const {
  const std::string text = to_text(request);
  const auto pass_on = [](void* user, const kindred_step* now) {
    const auto& report = *static_cast<const Step*>(user);
    return report(std::string(view(now->doing)), now->done, now->all) ? 0 : 1;
  };
  kindred_answer* made = nullptr;
  call(&kindred_descriptor::ask, question.data(), question.size(), text.data(), text.size(),
       step ? +pass_on : nullptr, const_cast<Step*>(&step), &made);
  const std::unique_ptr<kindred_answer, void (*)(kindred_answer*)> owned(
      made, library_->functions().answer_free);
  return std::string(view(owned->json));
}

/// Of the paths in a text, the last part stays; of that of the database, the collection's name.
std::string Handle::without_paths(std::string text) const {
  const std::string& database = options_.database;
  const std::string folder = database.substr(0, database.rfind('/') + 1);
  replace_all(text, database + "/", "");
  replace_all(text, database, options_.name);
  if (folder.size() > 1) replace_all(text, folder, "");

  // All other words that begin with a slash.
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = text[at] == '/' && (at == 0 || text[at - 1] == ' ');
    if (!begins) continue;
    const std::size_t end = std::min(text.find_first_of(" :,;", at), text.size());
    const std::size_t last = end == at ? at : text.rfind('/', end - 1);
    text.erase(at, last + 1 - at);
  }
  return text;
}

void Handle::check(kindred_errc code) const {
  if (code == KINDRED_OK) return;
  const std::string text = library_->functions().last_error();
  if (code == KINDRED_CANCELED)
    throw PluginError(code, "the answer took longer than a request may");
  std::error_code ignored;
  const bool is_gone = !std::filesystem::exists(options_.database, ignored);
  if (is_for_client(code) && !is_gone) throw PluginError(code, without_paths(text));
  log_event(LogLevel::kWarning, "plugin-failed",
            {{"code", static_cast<int>(code)}, {"reason", text}});
  if (code == KINDRED_INTERNAL) throw PluginError(code, "The server failed; its log says more.");
  throw PluginError(KINDRED_DATABASE,
                    "the index of '" + options_.name + "' cannot be read or written now");
}

}  // namespace search_server
