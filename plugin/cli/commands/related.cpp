// kindred related: documents that are like the given ones.

#include <algorithm>
#include <iostream>
#include <memory>
#include <span>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/cli/selected_documents.h"
#include "plugin/query/filter_fields.h"

namespace kindred::cli {
namespace {

constexpr const char* kRelatedFooter = R"(
Examples:
  kindred related --db wiki.db --id apollo-11
  kindred related --db wiki.db --text "rockets to the moon" --limit 5 --json
  kindred related --db wiki.db --id apollo-11 --id mars-3 --unlike sputnik
  kindred related --db wiki.db --docid 7 --filter 'label:space title:moon' --explain
  kindred related --db wiki.db --like-query 'moon landing' --fold
  kindred related --db wiki.db --ids-from ids.txt --json
  kindred related --db wiki.db --all --limit 5 --out related.tsv
  kindred related --db wiki.db --all --limit 5 --store
With --ids-from, --query and --all there is a line per document: its id and those of its related
documents, or JSON. --store keeps the ids in the index, for templates of other programs.
Examples can be given several times, and are averaged. Queries are written as filters.
A filter is a Xapian query over words and these fields:
)";

constexpr std::size_t kTermsShown = 8;
constexpr std::size_t kFoldedShown = 3;
constexpr std::size_t kAskedTogether = 512;  // documents, with --ids-from, --query and --all

struct RelatedCommand : QuestionCommand {
  ExampleOptions examples;
  std::vector<std::string> unlike;
  SelectionOptions selection;
  std::string out;
  bool store = false;
};

/// "because of moon 61.0 %, crater 39.0 %": words, and their parts of the similarity.
std::string terms_text(const Json& document) {
  const Json& terms = document["terms"];
  std::string words;
  for (std::size_t i = 0; i < terms.size() && i < kTermsShown; ++i) {
    const double share = number_of(terms[i]["contribution"]) / number_of(document["similarity"]);
    append_item(words, text_of(terms[i]["word"]) + " " + percent(share));
  }
  return "because of " + words;
}

/// "also vide (from eggs-2), pouch (from eggs-7)": words that neighbors of the examples brought.
std::string neighbor_terms_text(const Json& terms) {
  std::string words;
  for (std::size_t i = 0; i < terms.size() && i < kTermsShown; ++i)
    append_item(words, text_of(terms[i]["word"]) + " (from " + name_of(terms[i]["id"]) + ")");
  return "also " + words;
}

/// "3: a, b, [...]": how many were folded, and the first of them.
std::string folded_text(const Json& folded) {
  if (folded.empty()) return "";
  std::string names;
  for (std::size_t i = 0; i < folded.size() && i < kFoldedShown; ++i)
    append_item(names, name_of(folded[i]["id"]));
  if (folded.size() > kFoldedShown) append_item(names, "[...]");
  return std::to_string(folded.size()) + ": " + names;
}

void print_related(const Json& result, const QuestionCommand&) {
  const Json& documents = result["results"];
  if (documents.empty()) {
    std::cout << "no related documents\n";
    return;
  }

  // Columns that only some requests have are there for all documents of an answer, or for none.
  const bool has_folded = documents[0].contains("folded");
  const bool has_terms = documents[0].contains("terms");
  const bool is_by_score = std::ranges::any_of(documents, [](const Json& document) {
    return document["rank_score"] != document["similarity"];
  });
  std::vector<std::string> headings = {"similarity", "docid", "id", "title"};
  if (is_by_score) headings.insert(headings.begin(), "rank score");
  if (has_folded) headings.insert(headings.end() - 1, "folded");
  Table table(headings);

  for (const Json& document : documents) {
    std::vector<std::string> row = {fixed(document["similarity"], 4), text_of(document["docid"]),
                                    name_of(document["id"]), grouped_title(document)};
    if (is_by_score) row.insert(row.begin(), fixed(document["rank_score"], 4));
    if (has_folded) row.insert(row.end() - 1, folded_text(document["folded"]));
    table.add_row(std::move(row));
    if (has_terms) table.add_line(terms_text(document));
    if (document.contains("neighbor_terms") && !document["neighbor_terms"].empty())
      table.add_line(neighbor_terms_text(document["neighbor_terms"]));
  }

  table.print();
}

int run(RelatedCommand& command) {
  command.request["like"] = examples_json(command.examples);
  for (const std::string& id : command.unlike)
    command.request["unlike"].push_back({{"id", written_name(id)}});
  return answer(command, print_related);
}

/// The line of a document: JSON, or its id and those of its related documents, with tabs.
std::string related_line(const SelectedDocument& document, Json answer, bool json) {
  if (json) {
    answer["id"] = written_name(document.id);
    return json_line(answer);
  }
  std::string line = shown(document.id);
  for (const Json& related : answer["results"]) line += '\t' + shown(name_of(related["id"]));
  return line;
}

/// Writes a line for each document; false if there is an id that no document has.
bool write_lines(AskedDatabase& database, const RelatedCommand& command, std::ostream& out) {
  bool good = true;
  Progress progress(progress_beside(out), "asked");
  const auto documents = select_documents(database.engine(), command.selection);

  Json request = command.request;
  request["titles"] = command.has_json();

  // In parts, which are answered in one batch each: the answers of a large index need not be in
  // memory at once.
  for (std::size_t first = 0; first < documents.size(); first += kAskedTogether) {
    progress.report_share(first, documents.size());
    const auto part =
        std::span(documents).subspan(first, std::min(kAskedTogether, documents.size() - first));

    request["each"] = Json::array();
    for (const SelectedDocument& document : part)
      if (document.error.empty()) request["each"].push_back(document.docid);

    good = write_answers(database, command, request, part, out, related_line) && good;
  }
  return good;
}

void print_stored(const Json& result, const QuestionCommand&) {
  std::cout << "wrote related documents of " << result["written"] << " of " << result["examined"]
            << " documents into value slot " << result["slot"] << '\n';
}

int store(RelatedCommand& command) {
  command.question = "store_related";
  command.done = "written";
  if (!command.selection.query.empty()) command.request["query"] = command.selection.query;
  return answer(command, print_stored);
}

int run_many(const RelatedCommand& command) {
  AskedDatabase database(command.database);
  bool good = true;
  if (command.out.empty()) {
    good = write_lines(database, command, std::cout);
  } else {
    write_output_file(command.out, [&](std::ostream& out) {
      good = write_lines(database, command, out);
    });
  }
  if (good) return kGood;
  return kFailed;
}

void add_many_options(CLI::App& command, RelatedCommand& options) {
  add_selection_options(command, options.selection);
  add_file_option(command, "--out", options.out,
                  "With --ids-from, --query or --all: write the lines into this file");
  CLI::Option* const store = command.add_flag(
      "--store", options.store,
      "With --query or --all: store the ids in each document, in the value slot related.slot");
  store->excludes(command.get_option("--out"));
  store->excludes(command.get_option("--ids-from"));

  add_keys(command, "store_related", options.request, {"restart"});
  command.get_option("--restart")->needs(store);
}

/// @throws CLI::ValidationError if the options contradict each other.
Action choose_related(const std::shared_ptr<RelatedCommand>& options) {
  // Examples give one answer; a selection gives a line for each of its documents. Never both.
  const Json& request = options->request;
  const bool single = count_examples(options->examples) > 0 || request.contains("like_query");
  const bool many = is_given(options->selection);
  const bool unlike = !options->unlike.empty() || request.contains("unlike_query");

  if (many && (single || unlike))
    throw CLI::ValidationError("expected --ids-from, --query or --all without examples");
  if (many && options->store && (request.contains("fold") || request.contains("explain")))
    throw CLI::ValidationError("expected --store without --fold and --explain");
  if (!many && (options->store || !options->out.empty()))
    throw CLI::ValidationError(
        "expected --query or --all with --store, and also --ids-from with --out");
  if (!many && !single) {
    throw CLI::ValidationError(
        "at least one of --id, --docid, --text, --text-file, --like-query is required");
  }

  if (many && options->store)
    return [options] {
      return store(*options);
    };
  return [options, many] {
    if (many) return run_many(*options);
    return run(*options);
  };
}

}  // namespace

void add_related(CLI::App& program, Action& action) {
  auto options = std::make_shared<RelatedCommand>();
  CLI::App& command =

      add_question(program, action, "related", "related", "", print_related, options);
  add_wait_option(command, options->database);
  add_example_options(command, options->examples);

  add_texts(command, "--unlike", options->unlike,
            "A counter-example, by its unique id: prefer documents unlike it")
      ->type_name("ID");
  add_keys(command, "related", options->request, {"like_query", "unlike_query", "like_top"});

  add_many_options(command, *options);
  add_key(command, "related", options->request, "limit", "-k,--limit");
  add_keys(command, "related", options->request,
           {"min_similarity", "filter", "fold", "group", "explain"});
  command.add_flag_callback(
      "--no-feedback",
      [options] {
        options->request["feedback"] = false;
      },
      "Order by the similarity to the examples alone");
  command.get_option("--fold")->expected(0, 1)->default_str("0.95");

  command.footer(kRelatedFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] {
    action = choose_related(options);
  });
}

}  // namespace kindred::cli
