#include "plugin/cli/asked_database.h"

#include <filesystem>
#include <vector>

#include "plugin/cli/output/terminal.h"
#include "plugin/store/kept_files.h"
#include "plugin/vocabulary/vocabulary_file.h"

namespace kindred::cli {

AskedDatabase::AskedDatabase(const DatabaseOptions& options, const std::string& progress,
                             const std::string& done)
    : options_(options),
      progress_(progress, done),
      index_{.path = options.database,
             .settings = read_settings(options),
             .engine = [this]() -> Engine& {
               return engine();
             }} {
  // A step counts documents, or names what is done.
  index_.on_step = [this](const AskStep& step) {
    if (step.all == 0) return true;  // nothing is counted yet
    if (step.doing.empty()) {
      progress_.report_share(step.done, step.all);
    } else {
      progress_.report_work(step.doing, step.done, step.all);
    }
    return true;
  };
}

Engine& AskedDatabase::engine() {
  if (!engine_) engine_.emplace(open_engine(options_));
  return *engine_;
}

void AskedDatabase::tune_if_needed() {
  // An index that is tuned without being asked is told so, with what it promises.
  const Json found = ask("tune", {{"if_due", true}});
  if (!found["tuned"].get<bool>()) return;

  progress_.step("tuned on " + text_of(found["tuning"]["scores"]["documents"]) + " of " +
                 text_of(found["tuning"]["voters"]) +
                 " labeled documents: " + method_text(found["tuning"]["method"]) + "; " +
                 expectation_text(found) + " (classify.auto_tune; 'kindred tune' looks longer)");
}

Json AskedDatabase::ask(std::string_view question, const Json& request) {
  // Names of labels are in the reader's language.
  const std::vector<std::string> languages = reader_languages();
  const std::string location = file_location(index_.path, index_.settings.index.directory);
  const bool has_names = find_question(question).request.has_key("names_in") &&
                         !languages.empty() && std::filesystem::exists(vocabulary_path(location));
  Json asked = request;
  if (has_names) asked["names_in"] = languages;

  Json answer = ask_json(index_, question, asked);
  progress_.finish();
  return answer;
}

Json AskedDatabase::answer(std::string_view question, const Json& request) {
  Json answer = ask(question, request);
  if (options_.common.json) print_json(answer);
  return answer;
}

}  // namespace kindred::cli
