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

Problem problem_of(kindred_errc code, const std::string& text) {
  switch (code) {
    case KINDRED_INVALID_ARGUMENT:
      return Problem(400, "refused", text);
    case KINDRED_NOT_FOUND:
      return Problem(404, "not-found", text);
    case KINDRED_UNSUPPORTED:
      return Problem(403, "unsupported", text);
    case KINDRED_CANCELED:
      return busy("too-slow", "the answer took longer than a request may");
    case KINDRED_INTERNAL:
      return Problem(500, "internal", text);
    default:
      return busy("index-unavailable", text);
  }
}

}  // namespace

std::string written_name(std::string_view bytes) {
  std::string name;
  for (const char c : bytes) name.append(c == '\\' ? 2 : 1, c);
  return name;
}

std::string read_name(std::string_view written) {
  std::string bytes;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] == '\\' && written[++i] == 'x') {
      bytes += static_cast<char>(std::stoi(std::string(written.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      bytes += written[i];
    }
  }
  return bytes;
}

PluginError::PluginError(kindred_errc code, const std::string& text)
    : Problem(problem_of(code, text)), code_(code) {}

Problem busy(const std::string& type, const std::string& detail) {
  Problem problem(503, type, detail);
  problem.with("Retry-After", "2");
  return problem;
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

Json Handle::ask(const std::string& question, const Json& request, const Step& step) const {
  const std::string text = to_text(request);
  kindred_answer* made = nullptr;
  call(&kindred_descriptor::ask, question.data(), question.size(), text.data(), text.size(),
       step ? pass_on_step : nullptr, const_cast<Step*>(&step), &made);
  const std::unique_ptr<kindred_answer, void (*)(kindred_answer*)> owned(
      made, library_->functions().answer_free);
  return Json::parse(view(owned->json));
}

void Handle::check(kindred_errc code) const {
  if (code != KINDRED_OK) throw PluginError(code, library_->functions().last_error());
}

}  // namespace search_server
