// kindred status: counts of a database, where answers are computed, and how it is tuned.

#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/evaluation_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kStatusFooter = R"(
Examples:
  kindred status --db wiki.db
  kindred status --db ~/.mail/.notmuch/xapian --json
  kindred status --db other.db --guess >other.toml
Shows how many documents, terms and tags the database has, what computes the answers, how much
memory that takes, the tuning that tags follow ('kindred tune'), whose index it is, how texts are
analyzed, which Hunspell dictionaries there are for lemmas, and how many documents have terms under
which prefix.)";

void print_analysis_record(const Json& analysis) {
  const bool recorded = analysis["recorded"].get<bool>();
  Table table({"analysis", recorded ? "as the index records" : "not recorded"});
  for (const char* part : {"rules", "versions"})
    for (const auto& [key, value] : analysis[part].items()) table.add_row({key, text_of(value)});
  std::cout << '\n';
  table.print();
  const std::string others = text_of(analysis["other_versions"]);
  if (!others.empty()) std::cout << '\n' << shown(others) << '\n';
}

/// A list of objects as a table under an empty line, unless it is empty.
void print_objects(const Json& list, const std::vector<std::string>& headings) {
  if (list.empty()) return;
  Table table(headings);
  for (const Json& item : list) {
    std::vector<std::string> row;
    for (const Json& value : item) row.push_back(text_of(value));
    table.add_row(std::move(row));
  }
  std::cout << '\n';
  table.print();
}

void print_guess(const Json& guess) {
  const std::string settings = text_of(guess["settings"]);
  if (settings.empty() && guess["unknown"].empty()) std::cout << "# the defaults read this index\n";
  for (const Json& unknown : guess["unknown"])
    std::cout << "# not known: " << shown(text_of(unknown)) << '\n';
  std::cout << settings;
}

void print_status(const Json& result, const QuestionCommand& command) {
  if (result.contains("guess")) return print_guess(result["guess"]);
  Table table({"property", "value"});
  for (const auto& [key, value] : result.items()) {
    if (value == "" || value.is_structured() || value.is_null()) continue;
    if (key == "question" || key == "revision" || key == "seconds") continue;
    table.add_row({key, text_of(value)});
  }
  if (result.contains("revision")) table.add_row({"revision", text_of(result["revision"])});
  for (const Json& shard : result.value("shards", Json::array()))
    table.add_row({"shard " + text_of(shard["uuid"]), "revision " + text_of(shard["revision"])});
  const std::string file = settings_file(command.database.common, command.database.database);
  if (!file.empty()) table.add_row({"settings", file});
  if (const Json& tuning = result["tuning"]; !tuning.is_null()) {
    const Json& scores = tuning["scores"];
    table.add_row({"tuned at", "revision " + text_of(tuning["revision"])});
    table.add_row({"tags by", method_text(tuning["method"])});
    table.add_row({"leave-one-out", "micro F1 " + fixed(scores["micro_f1"], 4) + ", macro F1 " +
                                        fixed(scores["macro_f1"], 4)});
  }
  table.print();
  print_analysis_record(result["analysis"]);
  print_objects(result["dictionaries"], {"dictionary", "files"});
  print_objects(result["prefixes"], {"prefix", "terms", "documents"});
}

int run_status(const QuestionCommand& command) {
  const std::string line = AskedDatabase(command.database).ask("status", command.request);
  if (command.has_json()) std::cout << line << '\n';
  if (!command.has_json()) print_status(Json::parse(line), command);
  return kGood;
}

}  // namespace

void add_status(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = *program.add_subcommand("status", find_question("status").meaning);
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  options->request["survey"] = true;
  add_keys(command, "status", options->request, {"guess"});
  command.footer(kStatusFooter + 1);
  command.callback([options, &action] { action = [options] { return run_status(*options); }; });
}

}  // namespace kindred::cli
