// kindred log, undo: who changed which tags, and taking that back.

#include <iostream>
#include <memory>
#include <string>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kLogFooter = R"(
Examples:
  kindred log --db wiki.db
  kindred log --db wiki.db apollo-11
  kindred log --db wiki.db --since 7d --who anna
  kindred log --db wiki.db --run 4711 --json
The latest edits come first. Times are in UTC. What people did has a sign: + given, = accepted, - taken
off, ! rejected, ? allowed again. What was predicted has its confidence, or stands in brackets if it
went. 'kindred undo' takes edits back.)";

/// A step as a person reads it: "+space", "space 0.87", "(sport)".
std::string step_text(const Json& step) {
  const std::string name = text_of(step["step"]);
  if (name == "opted_out") return "opted out";
  if (name == "opted_in") return "opted in";

  const std::string label = label_text(step);
  if (name == "predicted") return label + " " + fixed(step["confidence"], 2);
  if (name == "dropped") return "(" + label + ")";
  if (name == "given") return "+" + label;
  if (name == "accepted") return "=" + label;
  if (name == "taken_off") return "-" + label;
  return (name == "rejected" ? "!" : "?") + label;
}

void print_log(const Json& answer, const QuestionCommand&) {
  Table table({"edit", "run", "time", "who", "how", "id", "tags"});
  for (const Json& edit : answer["edits"]) {
    std::string tags;
    for (const Json& step : edit["steps"]) append_item(tags, step_text(step));
    table.add_row({text_of(edit["edit"]), text_of(edit["run"]), text_of(edit["time"]),
                   text_of(edit["who"]), text_of(edit["how"]), name_of(edit["id"]), tags});
  }
  if (!answer["edits"].empty()) table.print();

  std::cout << "edits: " << answer["found"];
  if (answer["found"] > answer["edits"].size())
    std::cout << "; the latest " << answer["edits"].size() << " are shown";
  std::cout << '\n';
  if (answer["others"] > 0)
    tell("kindred: " + text_of(answer["others"]) +
         " edits of another index that was at the same place are left out");
  if (answer["damaged"] > 0)
    tell("kindred: " + text_of(answer["damaged"]) +
         " bytes of the history are damaged, and left out");
}

constexpr const char* kUndoFooter = R"(
Examples:
  kindred undo --db wiki.db --edit 4711
  kindred undo --db wiki.db --run 4711 --dry-run
  kindred undo --db wiki.db --day 2026-11-29 --by anna
Each tag gets the state that it had before. Tags that were changed again since stay as they are, and
are named. Documents stay, also those of an ingest that is taken back. To take an undo back, give its
own number.)";

std::string kept_text(const Json& kept) {
  std::string text = name_of(kept["id"]) + ": ";
  text += kept["label"].is_null() ? "its wish for predicted tags" : label_text(kept);
  if (kept["reason"] == "deleted") return text + " (the document is gone)";
  if (kept["reason"] == "elsewhere") return text + " (changed by another program)";
  return text + " (changed again by " + text_of(kept["who"]) + ", edit " + text_of(kept["edit"]) +
         ")";
}

void print_undo(const Json& answer, const QuestionCommand&) {
  const bool dry_run = answer["dry_run"].get<bool>();
  const auto count = [&](const char* key) {
    return answer[key].get<std::uint64_t>();
  };
  std::cout << (dry_run ? "would take back " : "took back ") << counted(count("tags"), "tag")
            << " of " << counted(count("documents"), "document") << ", of "
            << counted(count("edits"), "edit");
  if (count("run") > 0) std::cout << "; this is run " << answer["run"];
  std::cout << '\n';

  if (count("kept") == 0) return;
  std::cout << counted(count("kept"), "tag") << (count("kept") == 1 ? " stays" : " stay")
            << " as they are now:\n";
  for (const Json& kept : answer["kept_tags"]) std::cout << "  " << shown(kept_text(kept)) << '\n';
  if (count("kept") > answer["kept_tags"].size()) std::cout << "  [...]\n";
}

}  // namespace

void add_log(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "log", "log", "", print_log, options);
  add_key(command, "log", options->request, "ids", "ID")->description("Only of these documents");
  add_keys(command, "log", options->request,
           {"label", "since", "until", "who", "how", "run", "before", "limit"});
  command.footer(kLogFooter + 1);
}

void add_undo(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "undo", "undo", "written", print_undo, options);
  add_wait_option(command, options->database);
  add_keys(command, "undo", options->request, {"edit", "run", "day", "by", "dry_run", "who"});
  command.parse_complete_callback([&command] {
    const auto is_given = [&](const char* name) {
      return command.get_option(name)->count() > 0;
    };
    if (!is_given("--edit") && !is_given("--run") && !is_given("--day"))
      throw CLI::ValidationError("expected --edit, --run or --day");
  });
  command.footer(kUndoFooter + 1);
}

}  // namespace kindred::cli
