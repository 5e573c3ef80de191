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

}  // namespace

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

kindred_status Handle::status() const {
  kindred_status status = KINDRED_STATUS_INIT;
  call(&kindred_descriptor::get_status, &status);
  return status;
}

Result<kindred_analysis> Handle::analyze(const std::string& text,
                                         const std::string& language) const {
  kindred_analyze_request request = KINDRED_ANALYZE_REQUEST_INIT;
  request.text = borrowed(text);
  request.language = borrowed(language);
  return ask(&kindred_descriptor::analyze, &kindred_descriptor::analysis_free,
             &std::as_const(request));
}

Result<kindred_query> Handle::parse_query(const std::string& query, bool partial) const {
  kindred_parse_request request = KINDRED_PARSE_REQUEST_INIT;
  request.query = borrowed(query);
  request.partial = partial ? 1 : 0;
  return ask(&kindred_descriptor::parse_query, &kindred_descriptor::query_free,
             &std::as_const(request));
}

std::string Handle::stem_of(const std::string& word, const std::string& language) const {
  const auto analysis = analyze(word, language);
  if (analysis->word_count != 1 || analysis->words[0].term.size == 0) return word;
  return std::string(view(analysis->words[0].term).substr(analysis->prefix.size));
}

void Handle::check(kindred_errc code) const {
  if (code != KINDRED_OK) throw PluginError(code, library_->functions().last_error());
}

}  // namespace search_server
