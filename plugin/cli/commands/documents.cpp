// kindred show, search, delete: single documents of the index.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"
#include "plugin/cli/selected_documents.h"
#include "plugin/input/document_data.h"
#include "plugin/query/filter_fields.h"

namespace kindred::cli {
namespace {

constexpr const char* kShowFooter = R"(
Examples:
  kindred show --db wiki.db apollo-11
  kindred show --db wiki.db apollo-11 mars-3 --json)";

constexpr const char* kSearchFooter = R"(
Examples:
  kindred search --db wiki.db 'moon landing'
  kindred search --db wiki.db 'label:space title:moon NOT lang:de' --limit 50 --json
Predicted tags have a question mark. A query is one of Xapian, over words and these fields:
)";

constexpr const char* kDeleteFooter = R"(
Examples:
  kindred delete --db wiki.db apollo-11 mars-3
  kindred delete --db wiki.db --query 'label:stub' --dry-run
Ids that no document has are reported, and the exit status is then 1; the others are deleted.)";

constexpr std::size_t kTextBytes = 400;    // that are shown
constexpr std::size_t kDeletedShown = 10;  // by a dry run

struct ShowCommand : QuestionCommand {
  ExampleOptions documents;
};

struct DeleteOptions {
  DatabaseOptions database;
  SelectionOptions selection;
  bool dry_run = false;
};

/// "space 91.9 %, science 40.0 %"
std::string predicted_text(const Json& tags) {
  std::string text;
  for (const Json& tag : tags)
    append_item(text, label_text(tag) + " " + percent(tag["confidence"].get<double>()));
  return text;
}

void print_documents(const Json& result, const QuestionCommand&) {
  for (const Json& document : result["documents"]) {
    const Json topic = document.value("topic", Json());

    // A line for each thing that the document has.
    std::cout << shown(name_of(document["id"])) << '\n';
    const std::string rejected =
        labels_text(document.value("rejected_labels", Json::array()), result);
    const bool is_opted_out = !document.value("auto_tag", true);
    std::string place;
    if (!topic.is_null()) place = text_of(topic["number"]) + ", " + text_of(topic["name"]);

    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
             {"title", text_of(document["title"])},
             {"tags from people", labels_text(document["labels"], result)},
             {"predicted", predicted_text(document["predicted"])},
             {"rejected", rejected},
             {"tagging", is_opted_out ? "opted out" : ""},
             {"topic", place},
             {"text", beginning_of(document.value("text", std::string()), kTextBytes)}}) {
      if (!text.empty()) std::cout << fitted("  " + std::string(name) + ": " + shown(text) + '\n');
    }
  }
}

void print_found(const Json& result, const QuestionCommand&) {
  const Json& documents = result["documents"];

  // A predicted tag is a guess, and has a question mark.
  Table table({"id", "title", "tags"});
  for (const Json& document : documents) {
    std::string tags = labels_text(document["labels"], result);
    for (const Json& tag : document["predicted"])
      append_item(tags,
                  (tag.contains("name") ? text_of(tag["name"]) : name_of(tag["label"])) + "?");
    table.add_row({name_of(document["id"]), text_of(document["title"]), tags});
  }

  if (!documents.empty()) table.print();

  const auto found = result["total"]["estimate"].get<std::uint64_t>();
  if (found == 0) {
    std::cout << "no document matches\n";
  } else if (documents.size() < found) {
    std::cout << "the best " << documents.size() << " of ";
    if (result["total"]["exact"] != true) std::cout << "about ";
    std::cout << found << " documents\n";
  }

  if (!result["correction"].is_null())
    std::cout << "did you mean: " << shown(text_of(result["correction"])) << '\n';
}

int erase(const DeleteOptions& options) {
  AskedDatabase database(options.database);
  const Engine& engine = database.engine();

  // What is selected may name a document twice, and ids that no document has.
  std::vector<Xapian::docid> docids;
  std::uint64_t unknown = 0;
  for (const SelectedDocument& document : select_documents(engine, options.selection)) {
    if (document.error.empty())
      docids.push_back(document.docid);
    else
      ++unknown;
  }

  std::ranges::sort(docids);
  docids.erase(std::unique(docids.begin(), docids.end()), docids.end());

  // A document may also be deleted by somebody else before this one does it.
  std::uint64_t deleted = docids.size();
  if (!options.dry_run) {
    const Json result = database.ask("delete", {{"docids", docids}});
    deleted = result["deleted"].get<std::uint64_t>();
    const auto gone = result["unknown"].get<std::uint64_t>();
    if (gone > 0) tell("kindred: " + counted(gone, "document") + " of these docids are not there");
    unknown += gone;
  }

  const int status = unknown == 0 ? kGood : kFailed;
  if (options.database.common.json) {
    print_json({{"dry_run", options.dry_run}, {"deleted", deleted}, {"unknown", unknown}});
    return status;
  }

  std::cout << (options.dry_run ? "would delete " : "deleted ") << counted(deleted, "document")
            << '\n';
  if (!options.dry_run) return status;

  // A dry run shows the first of them, so that a slip in a query is seen.
  const bool all = docids.size() <= kDeletedShown;
  if (!all) docids.resize(kDeletedShown);

  const std::vector<std::string> titles = engine.titles(docids);
  for (std::size_t i = 0; i < docids.size(); ++i)
    std::cout << "  " << shown(engine.id_of(docids[i]) + "  " + titles[i]) << '\n';
  if (!all) std::cout << "  [...]\n";

  return status;
}

}  // namespace

void add_show(CLI::App& program, Action& action) {
  auto options = std::make_shared<ShowCommand>();
  CLI::App& command =
      add_question(program, action, "show", "documents", "", print_documents, options);

  add_document_options(command, options->documents);
  command.footer(kShowFooter + 1);
  command.callback([options, &action] {
    if (count_examples(options->documents) == 0)
      throw CLI::ValidationError("expected an ID, --id or --docid");
    action = [options] {
      options->request["examples"] = examples_json(options->documents);
      return answer(*options, print_documents);
    };
  });
}

void add_search(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "search", "search", "", print_found, options);

  add_key(command, "search", options->request, "query", "QUERY")
      ->description("Words, phrases and fields; a document of this id or title is first")
      ->required()
      ->check(not_empty("a query"));
  add_keys(command, "search", options->request, {"limit", "offset"});

  command.footer(kSearchFooter + 1 + listed_filter_fields() + ".");
}

void add_delete(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("delete", "Delete documents from the index");
  auto options = std::make_shared<DeleteOptions>();

  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  command.add_option("ID", options->selection.ids, "Documents by their unique ids")->type_name("");
  add_docid_option(command, options->selection.docids);
  add_selection_options(command, options->selection);
  command.add_flag("--dry-run", options->dry_run, "Delete nothing; show what would be deleted");
  command.footer(kDeleteFooter + 1);

  command.callback([options, &action] {
    if (!is_given(options->selection))
      throw CLI::ValidationError("expected an ID, --docid, --ids-from, --query or --all");
    action = [options] {
      return erase(*options);
    };
  });
}

}  // namespace kindred::cli
