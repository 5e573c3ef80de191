// kindred tag, label: gives tags to documents that are in the index, and records corrections of
// them.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kLabelFooter = R"(
Examples:
  kindred label list --db wiki.db
  kindred label list --db wiki.db --query astro --sort documents --limit 20
  kindred label rename --db wiki.db astronautics space --dry-run
  kindred label remove --db wiki.db stub
A label is changed in all documents: where people gave it, where it is predicted, and where it is
rejected. If it is renamed to another label of the index, the two become one. If a change is
interrupted, start it again: it continues where it stopped.)";

void print_label_list(const Json& result, const QuestionCommand&) {
  Table table({"documents", "predicted", "rejected", "label"});
  for (const Json& label : result["labels"]) {
    table.add_row({text_of(label["documents"]), text_of(label["predicted"]),
                   text_of(label["rejected"]), label_text(label)});
  }

  table.print();
  const auto found = result["found"].get<std::uint64_t>();
  if (result["labels"].size() < found)
    std::cout << result["labels"].size() << " of " << counted(found, "label") << '\n';
}

void print_change(const Json& result, const QuestionCommand&) {
  const char* const done = result["dry_run"].get<bool>() ? "would change " : "changed ";
  std::cout << done << counted(result["documents"].get<std::uint64_t>(), "document") << '\n';
  if (result["merged"].get<bool>())
    std::cout << "two labels are one now, so the tuning is due: 'kindred tune'\n";
}

/// The labels that begin with that one and a slash are labels of their own.
void print_renaming(const Json& result, const QuestionCommand& command) {
  print_change(result, command);

  // Some would expect that what stands below a label is renamed with it.
  constexpr std::size_t kShown = 5;
  AskedDatabase database(command.database);
  const Json listed = database.ask("labels", Json::object());
  const std::string beginning = command.request["label"].get<std::string>() + "/";

  std::string below;
  std::size_t count = 0;
  for (const Json& label : listed["labels"]) {
    const auto name = label["label"].get<std::string>();
    if (!name.starts_with(beginning)) continue;
    ++count;
    if (count <= kShown) append_item(below, read_name(name));
  }
  if (count == 0) return;

  if (count > kShown) append_item(below, "...");
  const char* const keeps = count == 1 ? "keeps its name: " : "keep their names: ";
  tell("kindred: " + counted(count, "label") + " below it " + keeps + below);
}

CLI::App& add_change(CLI::App& label, Action& action, const char* name, const char* description,
                     const std::shared_ptr<QuestionCommand>& options, PrintAnswer print) {
  CLI::App& command = add_question(label, action, name, "edit_label", "written", print, options);
  command.description(description);
  add_wait_option(command, options->database);
  add_key(command, "edit_label", options->request, "label", "LABEL")
      ->required()
      ->check(not_empty("a label"));
  add_keys(command, "edit_label", options->request, {"dry_run", "who"});
  return command;
}

constexpr const char* kTagFooter = R"(
Examples:
  kindred tag --db wiki.db --query 'lang:en NOT label:stub' --dry-run
  kindred tag --db wiki.db --all
  kindred tag --db wiki.db --pending --json
  kindred tag --db wiki.db apollo-11 --accept space --reject sport
  kindred tag --db wiki.db apollo-11 --undo sport
  kindred tag --db wiki.db apollo-11 --opt-out
  kindred tag --db wiki.db --query 'lang:en' --allow-all
Documents that people have tagged get no predicted tags. A tag that was rejected is not given to a
document again, except after --undo or with --allow-all. If a run is interrupted, start it again:
it continues where it stopped.)";

struct TagCommand : QuestionCommand {
  bool all = false;
  ExampleOptions documents;
  Json edit = Json::object();  ///< of each of these documents
  bool opt_out = false;
  bool opt_in = false;
  std::string who;  ///< in whose name; "": the user of this process
};

void print_labels(const char* what, const Json& labels, const Json& answer) {
  if (!labels.empty())
    std::cout << "  " << what << ": " << shown(labels_text(labels, answer)) << '\n';
}

/// Labels that neither a document nor the vocabulary has yet may be slips.
void tell_new_labels(const Json& given, AskedDatabase& database) {
  constexpr std::size_t kWidestName = 250;
  std::vector<std::string> known;
  const Json listed = database.ask("labels", Json::object());
  for (const Json& label : listed["labels"]) {
    known.push_back(name_of(label["label"]));
    if (label.contains("name")) known.push_back(text_of(label["name"]));
  }

  // In an index without labels all are new.
  for (const Json& label : given) {
    const std::string name = name_of(label);
    if (known.empty() || std::ranges::find(known, name) != known.end()) continue;
    if (database.ask("vocabulary", {{"ids", {label}}})["found"] != 0) continue;

    std::string message = "kindred: '" + cut_to_width(name, kWidestName) + "' is a new label";
    const std::string likely = likely_of(name, known);
    if (!likely.empty()) message += "; did you mean '" + likely + "'?";
    tell(message);
  }
}

int run_edit(const TagCommand& command) {
  // Each document gets the same edit.
  Json edits = examples_json(command.documents);
  for (Json& edit : edits) {
    edit.update(command.edit);
    if (command.opt_out || command.opt_in) edit["auto_tag"] = command.opt_in;
  }

  DatabaseOptions options = command.database;
  options.needs_labels = false;  // there may be none yet
  AskedDatabase database(options);

  for (const char* given : {"accept", "add"})
    if (command.edit.contains(given)) tell_new_labels(command.edit[given], database);
  const Json result = database.answer("edit", {{"edits", edits}, {"who", command.who}});

  if (command.has_json()) return kGood;
  for (const Json& document : result["documents"]) {
    std::cout << shown(name_of(document["id"])) << '\n';
    print_labels("from people", document["labels"], result);
    print_labels("predicted", document["predicted"], result);
    print_labels("rejected", document["rejected"], result);
    if (!document["auto_tag"].get<bool>()) std::cout << "  opted out\n";
  }
  return kGood;
}

void print_changes(const Json& result) {
  for (const Json& change : result["sample"]) {
    std::cout << "  " << shown(name_of(change["id"])) << ':';
    for (const Json& tag : change["given"])
      std::cout << " +" << shown(label_text(tag)) << ' ' << fixed(tag["confidence"], 4);
    for (const Json& tag : change["taken_off"])
      std::cout << " -" << shown(labels_text(Json::array({tag}), result));
    std::cout << '\n';
  }

  const bool is_cut = result["changed"] > result["sample"].size();
  if (is_cut && !result["sample"].empty()) std::cout << "  [...]\n";
}

void print_report(const Json& result) {
  const auto count = [&](const char* key) {
    return result[key].get<std::uint64_t>();
  };
  const bool dry_run = result["dry_run"].get<bool>();
  const std::uint64_t examined = count("examined");
  const std::uint64_t continued = count("continued");

  if (result["matched"] == 0) {
    std::cout << "no document matches\n";
    return;
  }

  if (continued > 0)
    std::cout << "went on after " << counted(continued, "document") << " of an interrupted run\n";
  std::cout << (dry_run ? "would change " : "changed ") << count("changed") << " of "
            << counted(examined, "document") << ": " << counted(count("given"), "tag") << " given, "
            << count("taken_off") << " taken off in " << fixed(result["seconds"], 2) << " s\n"
            << count("tagged") << " with predicted tags, " << count("labeled")
            << " with tags from people, " << count("opted_out") << " opted out\n";

  // If people have tagged everything, it may be because labels that are none count as theirs.
  if (examined > 0 && count("labeled") == examined)
    std::cout << "all of these have tags from people; values that are none go into the setting "
                 "labels.system ('kindred status' shows what it found)\n";

  if (count("rejected") > 0)
    std::cout << counted(count("rejected"), "tag")
              << " found taken off by somebody; not to be given again\n";
  if (count("allowed") > 0)
    std::cout << counted(count("allowed"), "rejected tag") << (dry_run ? " would be" : "")
              << " allowed again\n";

  print_changes(result);
}

int run_tagging(const TagCommand& command) {
  // A tuning that is due comes first, or the run would give tags that the next one takes off.
  const bool dry_run = command.request.contains("dry_run");
  AskedDatabase database(command.database, command.progress, dry_run ? "examined" : "tagged");
  if (!dry_run) database.tune_if_needed();

  Json request = command.request;
  if (!command.who.empty()) request["who"] = command.who;
  const Json result = database.answer("tag", request);
  if (!dry_run)
    save_mirror_after(result["written"].get<std::uint64_t>(), command.database,
                      database.engine().settings());

  if (!command.has_json()) print_report(result);
  return kGood;
}

void add_edit_options(CLI::App& command, TagCommand& options) {
  add_document_options(command, options.documents);

  const Shape& edit = find_question("edit").request.key("edits").members.front();
  for (const char* const key : {"accept", "reject", "undo", "add", "take_off"}) {
    std::string name = std::string("--") + key;
    std::ranges::replace(name, '_', '-');
    add_key(command, edit.key(key), options.edit, name)->type_name("LABEL")->group("Of documents");
  }

  CLI::Option* const out =
      command.add_flag("--opt-out", options.opt_out, "Take all predicted tags off, and give none");
  out->group("Of documents");
  command.add_flag("--opt-in", options.opt_in, "Give predicted tags again")
      ->excludes(out)
      ->group("Of documents");
}

/// What the options ask for. @throws CLI::ValidationError if they contradict each other.
Action choose(const std::shared_ptr<TagCommand>& options) {
  // A command tags what it selects, or edits what it names.
  const Json& request = options->request;
  const bool query = request.contains("query");
  const bool pending = request.contains("pending");
  const bool run = query || options->all || pending;
  const bool edits = !options->edit.empty() || options->opt_out || options->opt_in;
  const bool has_documents = count_examples(options->documents) > 0;

  if (edits || has_documents) {
    if (run || !request.empty()) {
      throw CLI::ValidationError(
          "expected ID without --query, --all, --pending, --dry-run, --restart, --sample and "
          "--allow-all");
    }
    if (!has_documents) throw CLI::ValidationError("expected ID with what is to change");
    if (!edits) {
      throw CLI::ValidationError(
          "expected --accept, --reject, --undo, --add, --take-off, --opt-out or --opt-in with ID");
    }
    return [options] {
      return run_edit(*options);
    };
  }

  if (!run) throw CLI::ValidationError("expected --query, --all, --pending or ID");
  if (options->all && (query || pending))
    throw CLI::ValidationError("expected --all without --query and --pending");
  return [options] {
    return run_tagging(*options);
  };
}

}  // namespace

void add_label(CLI::App& program, Action& action) {
  CLI::App& label =
      *program.add_subcommand("label", "List labels, or rename or remove one in all documents");
  label.require_subcommand(1);
  label.footer(kLabelFooter + 1);

  const auto listing = std::make_shared<QuestionCommand>();
  add_keys(add_question(label, action, "list", "labels", "", print_label_list, listing), "labels",
           listing->request, {"limit", "offset", "query", "sort"});

  const auto renaming = std::make_shared<QuestionCommand>();
  add_key(
      add_change(label, action, "rename", "Give a label another name", renaming, print_renaming),
      "edit_label", renaming->request, "name", "NEW")
      ->description("Its name from then on")
      ->required()
      ->check(not_empty("a label"));

  add_change(label, action, "remove", "Take a label off all documents",
             std::make_shared<QuestionCommand>(), print_change);
}

void add_tag(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("tag", "Tag documents of the index, or correct their predicted tags");

  auto options = std::make_shared<TagCommand>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  options->database.needs_labels = true;

  add_keys(command, "tag", options->request,
           {"query", "pending", "dry_run", "sample", "allow_all", "restart"});
  command.get_option("--query")->check(not_empty("a query (--all tags all documents)"));
  command.add_flag("--all", options->all, "Tag all documents");
  command
      .add_option("--who", options->who,
                  "In whose name, for the history; default: the user of the process")
      ->type_name("NAME");
  add_progress_option(command, options->progress);

  add_edit_options(command, *options);
  command.footer(kTagFooter + 1);
  command.callback([options, &action] {
    action = choose(options);
  });
}

}  // namespace kindred::cli
