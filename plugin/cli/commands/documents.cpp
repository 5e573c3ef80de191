// kindred show, search, delete: single documents of the index.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/selection.h"
#include "plugin/input/document_data.h"
#include "plugin/mirror/query_lexemes.h"
#include "plugin/writing/edits.h"

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

struct DocumentOptions {
  DatabaseOptions database;
  ExampleOptions documents;
  SelectionOptions selection;
  std::string query;
  std::int64_t limit = 10;
  bool dry_run = false;
};

/// Null if there is none.
std::shared_ptr<const TopicMap> map_of(const Engine& engine) {
  try {
    return engine.topic_map();
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    return nullptr;
  }
}

/// "space 91.9 %, science 40.0 %"
std::string predicted_text(const StoredDocument& document) {
  std::string text;
  for (const Tag& tag : document.predicted)
    text += (text.empty() ? "" : ", ") + tag.label + " " + percent(tag.confidence);
  return text;
}

int show(const DocumentOptions& options) {
  const Engine engine = open_engine(options.database);
  const auto map = map_of(engine);
  for (const auto& document : engine.documents(read_examples(options.documents)).documents) {
    const TopicPlacement place =
        map == nullptr ? TopicPlacement{} : engine.topic_of(Docid{document.docid});
    const Topic* const topic = place.topic == 0 ? nullptr : &map->topics[place.topic - 1];
    if (options.database.common.json) {
      Json json = record_json(document, topic);
      json["docid"] = document.docid;
      print_json(json);
      continue;
    }
    std::cout << shown(document.id) << '\n';
    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{
             {"title", document.title},
             {"tags from people", labels_text(document.labels)},
             {"predicted", predicted_text(document)},
             {"rejected", labels_text(document.rejected)},
             {"tagging", document.auto_tag ? "" : "opted out"},
             {"topic", topic == nullptr ? "" : std::to_string(topic->number) + ", " + topic->name},
             {"text", text_sample(document.data, kTextBytes)}}) {
      if (!text.empty()) std::cout << "  " << name << ": " << shown(text) << '\n';
    }
  }
  return kGood;
}

int search(const DocumentOptions& options) {
  const Engine engine = open_engine(options.database);
  MatchingRequest request;
  request.query = options.query;
  request.limit = options.limit;
  request.ranked = true;
  request.titles = true;
  const MatchingDocuments found = engine.matching(request);
  auto title = found.titles.begin();
  Json results = Json::array();
  Table table({"id", "title", "tags"});
  for (const auto& document : engine.documents(examples_of(found.docids)).documents) {
    std::vector<std::string> tags = document.labels;
    for (const Tag& tag : document.predicted) tags.push_back(tag.label + "?");
    table.add_row({document.id, *title, labels_text(tags)});
    results.push_back({{"id", document.id},
                       {"docid", document.docid},
                       {"title", *title++},
                       {"labels", document.labels},
                       {"predicted", tags_json(document.predicted)}});
  }
  if (options.database.common.json) {
    Json json = {{"revision", found.revision}, {"found", found.found}, {"results", results}};
    print_json(with_shards(std::move(json), found.shards));
    return kGood;
  }
  if (found.found > 0) table.print();
  if (found.found == 0) std::cout << "no document matches\n";
  if (found.docids.size() < found.found)
    std::cout << "the best " << found.docids.size() << " of " << found.found << " documents\n";
  return kGood;
}

int erase(const DocumentOptions& options) {
  Engine engine = open_engine(options.database);
  std::vector<std::string> ids;
  std::vector<Xapian::docid> docids;
  std::uint64_t unknown = 0, without_id = 0;
  for (const SelectedDocument& document : select_documents(engine, options.selection)) {
    if (!document.error.empty()) {
      ++unknown;
    } else if (engine.docid_of(document.id) != document.docid) {  // that id is another one's
      ++without_id;
    } else {
      ids.push_back(document.id);
      docids.push_back(document.docid);
    }
  }
  std::ranges::sort(docids);
  docids.erase(std::unique(docids.begin(), docids.end()), docids.end());
  DeletionReport report{docids.size(), 0};
  if (!options.dry_run) report = delete_documents(engine, ids);
  without_id += report.unknown;
  if (without_id > 0)
    tell("kindred: " + counted(without_id, "document") + " without a unique id stayed");
  unknown += without_id;
  if (options.database.common.json) {
    print_json({{"dry_run", options.dry_run}, {"deleted", report.deleted}, {"unknown", unknown}});
    return unknown == 0 ? kGood : kFailed;
  }
  std::cout << (options.dry_run ? "would delete " : "deleted ")
            << counted(report.deleted, "document") << '\n';
  if (!options.dry_run) return unknown == 0 ? kGood : kFailed;
  const bool all = docids.size() <= kDeletedShown;
  if (!all) docids.resize(kDeletedShown);
  const std::vector<std::string> titles = engine.titles(docids);
  for (std::size_t i = 0; i < docids.size(); ++i)
    std::cout << "  " << shown(engine.id_of(docids[i]) + "  " + titles[i]) << '\n';
  if (!all) std::cout << "  [...]\n";
  return unknown == 0 ? kGood : kFailed;
}

}  // namespace

void add_show(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("show", "Show documents: titles, tags, topics and texts");
  auto options = std::make_shared<DocumentOptions>();
  add_database_options(command, options->database);
  add_document_options(command, options->documents);
  command.footer(kShowFooter + 1);
  command.callback([options, &action] {
    if (count_examples(options->documents) == 0)
      throw CLI::ValidationError("expected an ID, --id or --docid");
    action = [options] { return show(*options); };
  });
}

void add_search(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("search", "Search for words and tags, the best document first");
  auto options = std::make_shared<DocumentOptions>();
  add_database_options(command, options->database);
  command.add_option("QUERY", options->query, "A Xapian query")
      ->type_name("")
      ->required()
      ->check(not_empty("a query"));
  add_limit_option(command, options->limit, "documents");
  command.footer(kSearchFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] { action = [options] { return search(*options); }; });
}

void add_delete(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("delete", "Delete documents from the index");
  auto options = std::make_shared<DocumentOptions>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  command.add_option("ID", options->selection.ids, "Documents by their unique ids")->type_name("");
  add_selection_options(command, options->selection);
  command.add_flag("--dry-run", options->dry_run, "Delete nothing; show what would be deleted");
  command.footer(kDeleteFooter + 1);
  command.callback([options, &action] {
    if (!is_given(options->selection))
      throw CLI::ValidationError("expected an ID, --ids-from, --query or --all");
    action = [options] { return erase(*options); };
  });
}

}  // namespace kindred::cli
