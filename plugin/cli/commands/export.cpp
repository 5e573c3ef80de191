// kindred export: the documents of a database, as records or CSV.

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/ask/asking.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"
#include "plugin/input/names.h"

namespace kindred::cli {
namespace {

constexpr const char* kExportFooter = R"(
Examples:
  kindred export --db wiki.db >wiki.jsonl
  kindred export --db wiki.db --query 'label:space' --csv >space.csv
  kindred export --db ~/.cache/mu/xapian | kindred index --db mail.db -
JSON Lines are records as 'kindred index' takes them, for a copy or a backup, with the features of
each document as terms and predicted tags with their confidence, which stay as they are until 'kindred tag'. The topic, if
the database has a map, is for other programs: 'kindred index' leaves it out. An index that Kindred must not write (index.read_only)
holds no predicted tags; then its documents without labels are tagged as 'kindred classify' does.)";

struct ExportCommand : QuestionCommand {
  bool csv = false;
};

/// The names of labels, as a field of CSV; of those without a name, the labels.
std::string names_field(const Engine& engine, const std::vector<std::string>& labels) {
  const std::vector<std::string> languages = reader_languages();
  std::vector<std::string> names;
  for (const std::string& label : labels) {
    std::string name = engine.label_name(label, languages);
    names.push_back(name.empty() ? label : std::move(name));
  }
  return csv_list(names);
}

/// `has_names`: the index has a vocabulary.
std::string csv_line(const Json& document, const Engine& engine, bool has_names) {
  // The answer has escapes where names are no UTF-8; a spreadsheet is to have the names.
  Json record = document;
  unescape_strings(record);

  std::vector<std::string> predicted;
  std::vector<std::string> predicted_labels;
  for (const Json& tag : record["predicted"]) {
    predicted_labels.push_back(tag["label"].get<std::string>());
    predicted.push_back(predicted_labels.back() + " " +
                        kindred::fixed(tag["confidence"].get<double>(), 4));
  }

  // A further key of the same name may be anything.
  const Json topic = record.value("topic", Json());
  const bool has_topic = topic.is_object() && topic.contains("name") && topic["name"].is_string();

  using Names = std::vector<std::string>;
  std::string name;
  if (has_topic) name = topic["name"].get<std::string>();

  std::string names;
  if (has_names)
    names = ',' + names_field(engine, record["labels"].get<Names>()) + ',' +
            names_field(engine, predicted_labels);
  return csv_field(record["id"].get<std::string>()) + ',' +
         csv_field(record["title"].get<std::string>()) + ',' +
         csv_list(record["labels"].get<Names>()) + ',' + csv_list(predicted) + ',' +
         csv_list(record.value("rejected_labels", Names())) + ',' + csv_field(name) + names + "\n";
}

int run(const ExportCommand& command) {
  AskedDatabase database(command.database);

  // An index that holds no predicted tags gets them on the way out, so they have to be good ones.
  const Engine& engine = database.engine();
  if (engine.settings().index.read_only && engine.status().labeled > 0) database.tune_if_needed();
  Json request = command.request;
  request["terms"] = !command.csv;

  std::uint64_t cut = 0;
  const bool has_names = command.csv && engine.status().vocabulary_terms > 0;
  if (command.csv)
    std::cout << "id,title,labels,predicted,rejected_labels,topic"
              << (has_names ? ",label_names,predicted_names\n" : "\n");

  // Page by page, so that an index of any size takes no more memory than a page.
  do {
    const Json page = database.ask("export", request);
    for (const Json& document : page["documents"]) {
      if (command.csv) {
        std::cout << csv_line(document, engine, has_names);
      } else {
        std::cout << json_line(document) << '\n';
      }
    }
    cut += page["cut"].get<std::uint64_t>();
    request["after"] = page["next"];
  } while (!request["after"].is_null());

  // A backup that has not all of a text must not look as if it had.
  if (cut > 0 && !command.csv) {
    tell("kindred: the index has only the beginning of " + counted(cut, "text") +
         ", with \u2026 at its end; with index.sample_bytes = 0, it keeps texts whole that are " +
         "indexed from then on");
  }

  return kGood;
}

}  // namespace

void add_export(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("export", "Write the documents with their tags, as records or CSV");
  auto options = std::make_shared<ExportCommand>();
  add_database_options(command, options->database);
  add_keys(command, "export", options->request, {"query"});
  auto* csv = command.add_flag("--csv", options->csv, "Write CSV, without features");
  command.add_flag("--jsonl")->description("Write JSON Lines; the default")->excludes(csv);
  command.footer(kExportFooter + 1);
  set_action(command, action, options, run);
}

}  // namespace kindred::cli
