// kindred related: documents that are like the given ones.

#include <iostream>
#include <memory>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/mirror/filter_syntax.h"

namespace kindred::cli {
namespace {

constexpr const char* kRelatedFooter = R"(
Examples:
  kindred related --db wiki.db --id apollo-11
  kindred related --db wiki.db --text "rockets to the moon" -k 5 --json
  kindred related --db wiki.db --id apollo-11 --id mars-3 --unlike sputnik
  kindred related --db wiki.db --docid 7 --filter 'label:space title:moon' --explain
  kindred related --db wiki.db --like-query 'moon landing' --like-top 5 --fold
Examples can be given several times, and are averaged. Queries are written as filters.
A filter is a Xapian query over words and these fields:
)";

constexpr std::size_t kTermsShown = 4;
constexpr std::size_t kFoldedShown = 3;
constexpr const char* kFold = "0.95";  // as the threshold of kindred duplicates

struct RelatedOptions {
  DatabaseOptions database;
  ExampleOptions examples;
  std::vector<std::string> unlike;
  RelatedRequest request;
};

Json to_json(const Related& related, const RelatedRequest& request) {
  Json json = {{"id", related.id},
               {"docid", related.docid},
               {"similarity", shortest(related.similarity)},
               {"title", related.title}};
  if (request.explain) {
    json["terms"] = Json::array();
    for (const TermContribution& part : related.terms)
      json["terms"].push_back({{"term", part.term}, {"contribution", part.contribution}});
  }
  if (request.fold > 0) {
    json["folded"] = Json::array();
    for (const FoldedDocument& folded : related.folded) {
      json["folded"].push_back({{"id", folded.id},
                                {"docid", folded.docid},
                                {"similarity", shortest(folded.similarity)}});
    }
  }
  return json;
}

void print_as_json(const RelatedResult& result, const RelatedRequest& request) {
  Json json = {{"revision", result.revision}, {"results", Json::array()}};
  for (const Related& related : result.results)
    json["results"].push_back(to_json(related, request));
  print_json(json);
}

std::string reason(const Related& related) {
  std::string text;
  for (std::size_t i = 0; i < related.terms.size() && i < kTermsShown; ++i) {
    text += (i == 0 ? "" : ", ") + related.terms[i].term + " " +
            fixed(related.terms[i].contribution, 3);
  }
  return text;
}

/// "3: a, b, [...]": how many were folded, and the first of them.
std::string folded_text(const Related& related) {
  if (related.folded.empty()) return "";
  std::string text = std::to_string(related.folded.size()) + ":";
  for (std::size_t i = 0; i < related.folded.size() && i < kFoldedShown; ++i)
    text += (i == 0 ? " " : ", ") + related.folded[i].id;
  return text + (related.folded.size() > kFoldedShown ? ", [...]" : "");
}

void print_as_table(const RelatedResult& result, const RelatedRequest& request) {
  if (result.results.empty()) {
    std::cout << "no related documents\n";
    return;
  }
  std::vector<std::string> headings = {"similarity", "docid", "id", "title"};
  if (request.fold > 0) headings.insert(headings.end() - 1, "folded");
  if (request.explain) headings.insert(headings.end() - 1, "strongest terms");
  Table table(headings);
  for (const Related& related : result.results) {
    std::vector<std::string> row = {fixed(related.similarity, 4), std::to_string(related.docid),
                                    related.id, related.title};
    if (request.fold > 0) row.insert(row.end() - 1, folded_text(related));
    if (request.explain) row.insert(row.end() - 1, reason(related));
    table.add_row(std::move(row));
  }
  table.print();
}

int run(const RelatedOptions& options) {
  RelatedRequest request = options.request;
  request.like = read_examples(options.examples);
  for (const std::string& id : options.unlike) request.unlike.emplace_back(UniqueId{id});
  const RelatedResult result = open_engine(options.database).related(request);
  if (options.database.common.json) {
    print_as_json(result, request);
  } else {
    print_as_table(result, request);
  }
  return kGood;
}

void add_query_options(Command command, RelatedRequest& request) {
  command
      .add_option("--like-query", request.like_query,
                  "The best documents of this Xapian query are examples, too")
      .type_name("QUERY");
  command
      .add_option("--unlike-query", request.unlike_query,
                  "The best documents of this Xapian query are counter-examples, too")
      .type_name("QUERY");
  command
      .add_option("--like-top", request.query_top, "At most this many documents of each such query")
      .capture_default_str()
      .type_name("N")
      .check(whole_number(1, 1000000));
}

}  // namespace

void add_related(Command program, Action& action) {
  const Command command = program.add_subcommand("related", "Find documents like the given ones");
  auto options = std::make_shared<RelatedOptions>();
  add_database_options(command, options->database);
  add_example_options(command, options->examples);
  add_texts(command, "--unlike", options->unlike,
            "A counter-example, by its unique id: prefer documents unlike it")
      .type_name("ID");
  add_query_options(command, options->request);
  const RelatedSettings defaults;
  command
      .add_option("-k", options->request.k, with_default("At most this many results", defaults.k))
      .type_name("N")
      .check(whole_number(1, 1000000));
  command
      .add_option(
          "--threshold", options->request.threshold,
          with_default("Only documents of at least this similarity, 0 to 1", defaults.threshold))
      .type_name("S")
      .check(number(0, 1));
  command
      .add_option("--filter", options->request.filter,
                  "Only documents that match this Xapian query")
      .type_name("QUERY");
  command
      .add_option(
          "--fold", options->request.fold,
          "Show only the best of results that are at least this similar to each other, 0 to 1")
      .type_name("S")
      .optional_value(kFold)
      .check(number(0, 1));
  command.add_flag("--explain", options->request.explain,
                   "Show which terms make documents similar");
  command.footer(kRelatedFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] {
    if (count_examples(options->examples) == 0 && options->request.like_query.empty()) {
      throw UsageError(
          "at least one of --id, --docid, --text, --text-file, --like-query is required");
    }
    action = [options] { return run(*options); };
  });
}

}  // namespace kindred::cli
