// kindred label: the labels of the index, and changes of one in all documents.

#include <iostream>
#include <memory>
#include <string>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/writing/edits.h"

namespace kindred::cli {
namespace {

constexpr const char* kLabelFooter = R"(
Examples:
  kindred label list --db wiki.db
  kindred label rename --db wiki.db astronautics space --dry-run
  kindred label remove --db wiki.db stub
A label is changed in all documents: where people gave it, where it is predicted, and where it is
rejected. If it is renamed to another label of the index, the two become one. If a change is
interrupted, start it again: it continues where it stopped.)";

struct LabelOptions {
  DatabaseOptions database;
  LabelEdit edit;
};

int list(const DatabaseOptions& options) {
  const LabelCounts counts = open_engine(options).label_counts();
  Json labels = Json::array();
  Table table({"documents", "predicted", "rejected", "label"});
  for (const auto& [name, documents, predicted, rejected] : counts.labels) {
    table.add_row(
        {std::to_string(documents), std::to_string(predicted), std::to_string(rejected), name});
    labels.push_back({{"label", name},
                      {"documents", documents},
                      {"predicted", predicted},
                      {"rejected", rejected}});
  }
  if (options.common.json) {
    print_json({{"revision", counts.revision}, {"labels", labels}});
  } else {
    table.print();
  }
  return kGood;
}

int change(LabelOptions& options) {
  LabelEdit& edit = options.edit;
  Progress progress("auto", "written");
  edit.on_progress = [&](std::uint64_t done, std::uint64_t all) {
    progress.report_share(done, all);
  };
  const std::uint64_t count =
      edit_label(options.database.database, read_settings(options.database), edit);
  progress.finish();
  if (options.database.common.json) {
    print_json({{"dry_run", edit.dry_run}, {"documents", count}});
    return kGood;
  }
  std::cout << (edit.dry_run ? "would change " : "changed ") << counted(count, "document") << '\n';
  return kGood;
}

CLI::App& add_change(CLI::App& label, Action& action, const char* name, const char* description,
                     const std::shared_ptr<LabelOptions>& options) {
  CLI::App& command = *label.add_subcommand(name, description);
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  command.add_option("LABEL", options->edit.label, "A label of the index")
      ->type_name("")
      ->required()
      ->check(not_empty("a label"));
  command.add_flag("--dry-run", options->edit.dry_run, "Write nothing; show what would change");
  command.callback([options, &action] { action = [options] { return change(*options); }; });
  return command;
}

}  // namespace

void add_label(CLI::App& program, Action& action) {
  CLI::App& label =
      *program.add_subcommand("label", "List labels, or rename or remove one in all documents");
  label.require_subcommand(1);
  label.footer(kLabelFooter + 1);
  CLI::App& listing =
      *label.add_subcommand("list", "List the labels and how many documents have them");
  auto options = std::make_shared<DatabaseOptions>();
  add_database_options(listing, *options);
  listing.callback([options, &action] { action = [options] { return list(*options); }; });
  const auto renaming = std::make_shared<LabelOptions>();
  add_change(label, action, "rename", "Give a label another name", renaming)
      .add_option("NEW", renaming->edit.name, "Its name from then on")
      ->type_name("")
      ->required()
      ->check(not_empty("a label"));
  add_change(label, action, "remove", "Take a label off all documents",
             std::make_shared<LabelOptions>());
}

}  // namespace kindred::cli
