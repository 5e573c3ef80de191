// kindred candidates: documents that a label would suit.

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/answers/curation.h"
#include "plugin/cli/auto_tuning.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/mirror/query_lexemes.h"

namespace kindred::cli {
namespace {

constexpr const char* kCandidatesFooter = R"(
Examples:
  kindred candidates --db wiki.db space
  kindred candidates --db wiki.db space --query 'lang:en' --min-confidence 0.5 --explain
  kindred candidates --db wiki.db invoice --limit 100 --json
Every document that lacks the label is classified, and those are shown that it suits best. Documents
that must not get it, or no predicted tags at all, are left out. Nothing is changed.
A query is a Xapian query over words and these fields:
)";

struct CandidatesOptions {
  DatabaseOptions database;
  CandidatesRequest request;
};

Json to_json(const Candidate& candidate, bool explain) {
  Json json = {{"id", candidate.id},         {"docid", candidate.docid},
               {"title", candidate.title},   {"confidence", candidate.confidence},
               {"labels", candidate.labels}, {"predicted", candidate.predicted}};
  if (explain) json["reason"] = reason_json(candidate.reason, candidate.neighbors);
  return json;
}

void print_candidates_json(const CandidateReport& report, const CandidatesRequest& request) {
  Json candidates = Json::array();
  for (const Candidate& candidate : report.candidates)
    candidates.push_back(to_json(candidate, request.explain));
  print_json(with_shards({{"revision", report.revision},
                          {"label", request.label},
                          {"examined", report.examined},
                          {"found", report.found},
                          {"candidates", std::move(candidates)}},
                         report.shards));
}

void print_candidates(const CandidateReport& report, const CandidatesRequest& request) {
  Table table({"confidence", "docid", "id", "labels", "title"});
  Table reasons({"id", "because of"});
  for (const Candidate& candidate : report.candidates) {
    table.add_row({fixed(candidate.confidence, 4), std::to_string(candidate.docid), candidate.id,
                   labels_text(candidate.labels), candidate.title});
    reasons.add_row({candidate.id, reason_text(candidate.reason, candidate.neighbors)});
  }
  if (!report.candidates.empty()) table.print();
  std::cout << "candidates: " << report.found << " of " << report.examined
            << " documents without the label";
  if (report.found > report.candidates.size())
    std::cout << "; the best " << report.candidates.size() << " are shown";
  std::cout << '\n';
  if (!request.explain || report.candidates.empty()) return;
  std::cout << '\n';
  reasons.print();
}

int run(const CandidatesOptions& options) {
  Progress progress("auto", "classified");
  CandidatesRequest request = options.request;
  request.on_progress = [&](std::uint64_t classified, std::uint64_t all) {
    progress.report_share(classified, all);
    return true;
  };
  Engine engine = open_engine(options.database);
  tune_if_needed(engine);
  const CandidateReport report = engine.candidates(request);
  progress.finish();
  if (options.database.common.json) {
    print_candidates_json(report, request);
  } else {
    print_candidates(report, request);
  }
  return kGood;
}

}  // namespace

void add_candidates(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("candidates", "Show documents that a label would suit");
  auto options = std::make_shared<CandidatesOptions>();
  CandidatesRequest& request = options->request;
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  command.add_option("label", request.label, "The label, as people gave it to other documents")
      ->type_name("LABEL")
      ->required();
  add_limit_option(command, request.limit, "documents");
  command.add_option("--query", request.filter, "Only documents that match this Xapian query")
      ->type_name("QUERY");
  command
      .add_option("--min-confidence", request.min_confidence,
                  "Only documents of at least this confidence, 0 to 1")
      ->capture_default_str()
      ->type_name("C")
      ->check(number(0, 1));
  command.add_flag("--predicted", request.include_predicted,
                   "Also documents that have the label as a predicted tag");
  command.add_flag("--explain", request.explain, "Show why the label suits a document");
  command.footer(kCandidatesFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
