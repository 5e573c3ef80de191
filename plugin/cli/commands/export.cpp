// kindred export: the documents with their tags, as records or CSV.

#include <iostream>
#include <memory>
#include <string>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kExportFooter = R"(
Examples:
  kindred export --db wiki.db >wiki.jsonl
  kindred export --db wiki.db --query 'label:space' --csv >space.csv
  kindred export --db ~/.cache/mu/xapian | kindred index --db mail.db -
JSON Lines are records as 'kindred index' takes them, with the features of each document as terms
and predicted tags with their confidence, which stay as they are until 'kindred tag'. The topic, if
the database has a map, is for other programs: 'kindred index' leaves it out. An index that Kindred must not write (index.read_only)
holds no predicted tags; then its documents without labels are tagged as 'kindred classify' does.)";

struct ExportCommand : QuestionCommand {
  bool csv = false;
};

std::string csv_line(const Json& document) {
  std::string predicted;
  for (const Json& tag : document["predicted"])
    predicted +=
        (predicted.empty() ? "" : "|") + name_of(tag["label"]) + " " + fixed(tag["confidence"], 4);
  const std::string topic = document.contains("topic") ? text_of(document["topic"]["name"]) : "";
  return csv_field(name_of(document["id"])) + ',' + csv_field(text_of(document["title"])) + ',' +
         csv_field(joined(document["labels"], "|")) + ',' + csv_field(predicted) + ',' +
         csv_field(joined(document.value("rejected_labels", Json::array()), "|")) + ',' +
         csv_field(topic) + "\n";
}

int run(const ExportCommand& command) {
  AskedDatabase database(command.database);
  const Engine& engine = database.engine();
  if (engine.settings().index.read_only && engine.status().labeled > 0) database.tune_if_needed();
  Json request = command.request;
  request["terms"] = !command.csv;
  if (command.csv) std::cout << "id,title,labels,predicted,rejected_labels,topic\n";
  do {
    const Json page = Json::parse(database.ask("export", request));
    for (const Json& document : page["documents"])
      std::cout << (command.csv ? csv_line(document) : json_line(document) + '\n');
    request["after"] = page["next"];
  } while (!request["after"].is_null());
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
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
