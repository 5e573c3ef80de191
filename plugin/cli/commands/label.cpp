// kindred label: the labels of the index, and changes of one in all documents.

#include <iostream>
#include <memory>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"

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

void print_label_list(const Json& result, const QuestionCommand&) {
  Table table({"documents", "predicted", "rejected", "label"});
  for (const Json& label : result["labels"]) {
    table.add_row({text_of(label["documents"]), text_of(label["predicted"]),
                   text_of(label["rejected"]), name_of(label["label"])});
  }
  table.print();
}

void print_change(const Json& result, const QuestionCommand&) {
  std::cout << (result["dry_run"].get<bool>() ? "would change " : "changed ")
            << counted(result["documents"].get<std::uint64_t>(), "document") << '\n';
}

CLI::App& add_change(CLI::App& label, Action& action, const char* name, const char* description,
                     const std::shared_ptr<QuestionCommand>& options) {
  CLI::App& command =
      add_question(label, action, name, "edit_label", "written", print_change, options);
  command.description(description);
  add_wait_option(command, options->database);
  add_key(command, "edit_label", options->request, "label", "LABEL")
      ->required()
      ->check(not_empty("a label"));
  add_keys(command, "edit_label", options->request, {"dry_run"});
  return command;
}

}  // namespace

void add_label(CLI::App& program, Action& action) {
  CLI::App& label =
      *program.add_subcommand("label", "List labels, or rename or remove one in all documents");
  label.require_subcommand(1);
  label.footer(kLabelFooter + 1);
  add_question(label, action, "list", "labels", "", print_label_list,
               std::make_shared<QuestionCommand>());
  const auto renaming = std::make_shared<QuestionCommand>();
  add_key(add_change(label, action, "rename", "Give a label another name", renaming), "edit_label",
          renaming->request, "name", "NEW")
      ->required()
      ->check(not_empty("a label"));
  add_change(label, action, "remove", "Take a label off all documents",
             std::make_shared<QuestionCommand>());
}

}  // namespace kindred::cli
