// kindred search: the documents that match a query, as Xapian ranks them.

#include <iostream>
#include <memory>
#include <string>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/mirror/filter/filter_syntax.h"

namespace kindred::cli {
namespace {

constexpr const char* kSearchFooter = R"(
Examples:
  kindred search --db wiki.db 'moon landing'
  kindred search --db wiki.db 'label:space title:moon NOT lang:de' --limit 50 --json
Tags that are predicted have a question mark. A query is one of Xapian, over words and these fields:
)";

struct SearchOptions {
  DatabaseOptions database;
  MatchingRequest request;
  std::int64_t limit = 10;
};

std::string tags_text(const StoredDocument& document) {
  std::vector<std::string> tags = document.labels;
  for (const Tag& tag : document.predicted) tags.push_back(tag.label + "?");
  return labels_text(tags);
}

void print_as_json(const MatchingDocuments& found, const StoredDocuments& stored) {
  Json json = {{"revision", found.revision}, {"found", found.found}, {"results", Json::array()}};
  for (const StoredDocument& document : stored.documents) {
    json["results"].push_back({{"id", document.id},
                               {"docid", document.docid},
                               {"title", document.title},
                               {"labels", document.labels},
                               {"predicted", tags_json(document.predicted)}});
  }
  print_json(with_shards(std::move(json), found.shards));
}

int search(SearchOptions& options) {
  const Engine engine = open_engine(options.database);
  options.request.limit = options.limit;
  const MatchingDocuments found = engine.matching(options.request);
  const std::vector<Example> examples = examples_of(found.docids);
  const StoredDocuments stored = engine.documents(examples);
  if (options.database.common.json) {
    print_as_json(found, stored);
    return kGood;
  }
  if (found.found == 0) {
    std::cout << "no document matches\n";
    return kGood;
  }
  Table table({"id", "title", "tags"});
  for (const StoredDocument& document : stored.documents)
    table.add_row({document.id, title_or_words(document), tags_text(document)});
  table.print();
  if (found.docids.size() < found.found)
    std::cout << "the best " << found.docids.size() << " of " << found.found << " documents\n";
  return kGood;
}

}  // namespace

void add_search(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("search", "Search for words and tags, the best document first");
  auto options = std::make_shared<SearchOptions>();
  options->request.ranked = true;
  add_database_options(command, options->database);
  command.add_option("QUERY", options->request.query, "A Xapian query")
      ->type_name("")
      ->required()
      ->check(not_empty("a query"));
  add_limit_option(command, options->limit, "documents");
  command.footer(kSearchFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] { action = [options] { return search(*options); }; });
}

}  // namespace kindred::cli
