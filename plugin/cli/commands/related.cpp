// kindred related: documents that are like the given ones.

#include <algorithm>
#include <iostream>
#include <memory>
#include <span>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/selection.h"
#include "plugin/mirror/query_lexemes.h"
#include "plugin/writing/stored_answers.h"

namespace kindred::cli {
namespace {

constexpr const char* kRelatedFooter = R"(
Examples:
  kindred related --db wiki.db --id apollo-11
  kindred related --db wiki.db --text "rockets to the moon" -k 5 --json
  kindred related --db wiki.db --id apollo-11 --id mars-3 --unlike sputnik
  kindred related --db wiki.db --docid 7 --filter 'label:space title:moon' --explain
  kindred related --db wiki.db --like-query 'moon landing' --like-top 5 --fold
  kindred related --db wiki.db --ids-from ids.txt --json
  kindred related --db wiki.db --all -k 5 --output related.tsv
  kindred related --db wiki.db --all -k 5 --store
With --ids-from, --query and --all there is a line per document: its id and those of its related
documents, or JSON. --store keeps the ids in the index, for templates of other programs.
Examples can be given several times, and are averaged. Queries are written as filters.
A filter is a Xapian query over words and these fields:
)";

constexpr std::size_t kTermsShown = 4;
constexpr std::size_t kFoldedShown = 3;
constexpr std::size_t kAskedTogether = 512;  // documents, with --ids-from, --query and --all
constexpr const char* kFold = "0.95";        // as the threshold of kindred duplicates

struct RelatedOptions {
  DatabaseOptions database;
  ExampleOptions examples;
  std::vector<std::string> unlike;
  SelectionOptions selection;
  std::string output;
  bool store = false;
  bool restart = false;
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

Json results_json(const RelatedResult& result, const RelatedRequest& request) {
  Json json = {{"revision", result.revision}, {"results", Json::array()}};
  for (const Related& related : result.results)
    json["results"].push_back(to_json(related, request));
  return with_shards(std::move(json), result.shards);
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
    print_json(results_json(result, request));
  } else {
    print_as_table(result, request);
  }
  return kGood;
}

/// The line of a document: JSON, or its id and those of its related documents, with tabs.
std::string line_of(const SelectedDocument& document, const RelatedResult& result,
                    const RelatedOptions& options) {
  if (options.database.common.json) {
    Json json = results_json(result, options.request);
    json["id"] = document.id;
    json["docid"] = document.docid;
    return json_line(json);
  }
  std::string line = shown(document.id);
  for (const Related& related : result.results) line += '\t' + shown(related.id);
  return line;
}

/// The answers for some documents, in the order of those that have no error.
std::vector<RelatedResult> ask_for(const Engine& engine,
                                   std::span<const SelectedDocument> documents,
                                   const RelatedRequest& request) {
  std::vector<Xapian::docid> docids;
  for (const SelectedDocument& document : documents)
    if (document.error.empty()) docids.push_back(document.docid);
  return engine.related_each(docids, request);
}

/// Writes a line for each document; false if there is an id that no document has.
bool write_lines(const Engine& engine, const RelatedOptions& options, std::ostream& out) {
  bool good = true;
  Progress progress(progress_beside(out), "asked");
  const std::vector<SelectedDocument> documents = select_documents(engine, options.selection);
  RelatedRequest request = options.request;
  request.titles = options.database.common.json;
  for (std::size_t first = 0; first < documents.size(); first += kAskedTogether) {
    progress.report_share(first, documents.size());
    const auto part =
        std::span(documents).subspan(first, std::min(kAskedTogether, documents.size() - first));
    const std::vector<RelatedResult> results = ask_for(engine, part, request);
    auto result = results.begin();
    for (const SelectedDocument& document : part) {
      if (document.error.empty()) {
        out << line_of(document, *result++, options) << '\n';
        continue;
      }
      good = false;
      if (options.database.common.json)
        out << json_line(bad_line_json(document.line, document.error)) << '\n';
    }
  }
  return good;
}

int store(const RelatedOptions& options) {
  Engine engine = open_engine(options.database);
  StoreRelatedRequest request;
  request.query = options.selection.query;
  request.filter = options.request.filter;
  request.k = options.request.k;
  request.threshold = options.request.threshold;
  request.restart = options.restart;
  Progress progress("auto", "written");
  request.on_progress = [&](const StoreRelatedReport& report) {
    progress.report_share(report.continued + report.examined, report.matched);
  };
  const StoreRelatedReport report = store_related(engine, request);
  progress.finish();
  if (options.database.common.json) {
    print_json(with_shards({{"revision", report.revision},
                            {"matched", report.matched},
                            {"continued", report.continued},
                            {"examined", report.examined},
                            {"gone", report.gone},
                            {"written", report.written}},
                           report.shards));
  } else {
    std::cout << "wrote related documents of " << report.written << " of " << report.examined
              << " documents into value slot " << engine.settings().related.slot << '\n';
  }
  return kGood;
}

int run_many(const RelatedOptions& options) {
  const Engine engine = open_engine(options.database);
  if (options.output.empty()) return write_lines(engine, options, std::cout) ? kGood : kFailed;
  bool good = true;
  write_output_file(options.output,
                    [&](std::ostream& out) { good = write_lines(engine, options, out); });
  return good ? kGood : kFailed;
}

void add_many_options(CLI::App& command, RelatedOptions& options) {
  add_selection_options(command, options.selection);
  command
      .add_option("--output", options.output,
                  "With --ids-from, --query or --all: write the lines into this file")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  CLI::Option* const store = command.add_flag(
      "--store", options.store,
      "With --query or --all: store the ids in each document, in the value slot related.slot");
  store->excludes(command.get_option("--output"));
  store->excludes(command.get_option("--ids-from"));
  command
      .add_flag("--restart", options.restart,
                "With --store: start over instead of continuing an interrupted run")
      ->needs(store);
}

/// @throws CLI::ValidationError if the options contradict each other.
Action choose_related(const std::shared_ptr<RelatedOptions>& options) {
  const RelatedRequest& request = options->request;
  const bool single = count_examples(options->examples) > 0 || !request.like_query.empty();
  const bool many = is_given(options->selection);
  const bool unlike = !options->unlike.empty() || !request.unlike_query.empty();
  if (many && (single || unlike))
    throw CLI::ValidationError("expected --ids-from, --query or --all without examples");
  if (many && options->store && (request.fold > 0 || request.explain))
    throw CLI::ValidationError("expected --store without --fold and --explain");
  if (!many && (options->store || !options->output.empty()))
    throw CLI::ValidationError(
        "expected --query or --all with --store, and also --ids-from with --output");
  if (!many && !single) {
    throw CLI::ValidationError(
        "at least one of --id, --docid, --text, --text-file, --like-query is required");
  }
  if (many && options->store) return [options] { return store(*options); };
  return [options, many] { return many ? run_many(*options) : run(*options); };
}

void add_query_options(CLI::App& command, RelatedRequest& request) {
  command
      .add_option("--like-query", request.like_query,
                  "The best documents of this Xapian query are examples, too")
      ->type_name("QUERY");
  command
      .add_option("--unlike-query", request.unlike_query,
                  "The best documents of this Xapian query are counter-examples, too")
      ->type_name("QUERY");
  command
      .add_option("--like-top", request.query_top, "At most this many documents of each such query")
      ->capture_default_str()
      ->type_name("N")
      ->transform(whole_number(1, 1000000));
}

/// Which documents are shown, and what of them.
void add_answer_options(CLI::App& command, RelatedRequest& request) {
  command.add_option("-k", request.k, with_default("At most this many results", request.k))
      ->type_name("N")
      ->transform(whole_number(1, 1000000));
  command
      .add_option(
          "--threshold", request.threshold,
          with_default("Only documents of at least this similarity, 0 to 1", request.threshold))
      ->type_name("S")
      ->check(number(0, 1));
  command.add_option("--filter", request.filter, "Only documents that match this Xapian query")
      ->type_name("QUERY");
  command
      .add_option(
          "--fold", request.fold,
          "Show only the best of results that are at least this similar to each other, 0 to 1")
      ->type_name("S")
      ->expected(0, 1)
      ->default_str(kFold)
      ->check(number(0, 1));
  command.add_flag("--explain", request.explain, "Show which terms make documents similar");
}

}  // namespace

void add_related(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("related", "Find documents like the given ones");
  auto options = std::make_shared<RelatedOptions>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  add_example_options(command, options->examples);
  add_texts(command, "--unlike", options->unlike,
            "A counter-example, by its unique id: prefer documents unlike it")
      ->type_name("ID");
  add_query_options(command, options->request);
  add_many_options(command, *options);
  add_answer_options(command, options->request);
  command.footer(kRelatedFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] { action = choose_related(options); });
}

}  // namespace kindred::cli
