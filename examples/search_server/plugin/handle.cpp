#include "plugin/handle.h"

#include <utility>

namespace search_server {
namespace {

void pass_on_log(void* user, const char* message, size_t size) {
  const auto& options = *static_cast<const HandleOptions*>(user);
  if (options.log) options.log({message, size});
}

void pass_on_report(void* user, const kindred_document_report* report) {
  static_cast<const HandleOptions*>(user)->on_document(*report);
}

int pass_on_step(void* user, const kindred_step* step) {
  const auto& call = *static_cast<const Step*>(user);
  return call(std::string(view(step->doing)), step->done, step->all) ? 0 : 1;
}

}  // namespace

std::string written_name(std::string_view bytes) {
  std::string name;
  for (const char c : bytes) name.append(c == '\\' ? 2 : 1, c);
  return name;
}

std::string read_name(const Json& written) {
  const auto& name = written.get_ref<const std::string&>();
  std::string bytes;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && name[++i] == 'x') {
      bytes += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      bytes += name[i];
    }
  }
  return bytes;
}

std::vector<std::string> read_names(const Json& list) {
  std::vector<std::string> names;
  for (const Json& name : list) names.push_back(read_name(name));
  return names;
}

Handle::Handle(std::shared_ptr<const Library> library, HandleOptions options)
    : library_(std::move(library)), options_(std::move(options)) {
  kindred_open_options open = KINDRED_OPEN_OPTIONS_INIT;
  // The library calls back with this object, and takes a pointer that is not const.
  void* const user = const_cast<HandleOptions*>(&options_);
  open.flags = KINDRED_HOST_TUNES | (options_.create ? KINDRED_CREATE : 0);
  open.settings_path = borrowed(options_.settings_path);
  if (options_.settings_path.empty()) open.settings = borrowed(options_.settings);
  open.log = pass_on_log;
  open.log_user = user;
  if (options_.on_document) open.on_document = pass_on_report;
  open.on_document_user = user;
  check(library_->functions().open(options_.database.data(), options_.database.size(), &open,
                                   &handle_));
}

Handle::~Handle() { library_->functions().close(handle_); }

Json Handle::ask(const std::string& question, const Json& request, const Step& step) const {
  const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  kindred_answer* made = nullptr;
  call(&kindred_descriptor::ask, question.data(), question.size(), text.data(), text.size(),
       step ? pass_on_step : nullptr, const_cast<Step*>(&step), &made);
  const std::unique_ptr<kindred_answer, void (*)(kindred_answer*)> owned(
      made, library_->functions().answer_free);
  return Json::parse(view(owned->json));
}

Json Handle::status() const {
  Json status = ask("status");
  if (!status.contains("revision")) status["revision"] = std::uint64_t{0};
  return status;
}

std::string Handle::stem_of(const std::string& word, const std::string& language) const {
  const Json analysis = ask("analyze", {{"text", word}, {"lang", language}});
  const Json& words = analysis["words"];
  if (words.size() != 1 || words[0]["term"] == "") return word;
  return read_name(words[0]["term"])
      .substr(analysis["prefix"].get_ref<const std::string&>().size());
}

void Handle::check(kindred_errc code) const {
  if (code != KINDRED_OK) throw PluginError(code, library_->functions().last_error());
}

}  // namespace search_server
