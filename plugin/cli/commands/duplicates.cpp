// kindred duplicates: groups of documents that are nearly the same.

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/mirror/query_lexemes.h"
#include "plugin/related/duplicate_search.h"

namespace kindred::cli {
namespace {

constexpr const char* kDuplicatesFooter = R"(
Examples:
  kindred duplicates --db wiki.db
  kindred duplicates --db wiki.db --threshold 1 --json
  kindred duplicates --db wiki.db --threshold 0.8 --filter 'label:inbox' --limit 20
Two documents are connected if their similarity reaches the threshold. A group is all that is
connected, also through other documents. The largest groups come first. Nothing is changed.
A filter is a Xapian query over words and these fields:
)";

struct DuplicatesOptions {
  DatabaseOptions database;
  DuplicateRequest request;
};

Json to_json(const DuplicateGroup& group) {
  Json documents = Json::array();
  for (const Duplicate& document : group.documents) {
    documents.push_back(
        {{"id", document.id}, {"docid", document.docid}, {"labels", document.labels}});
  }
  return {{"least_similarity", shortest(group.least)},
          {"greatest_similarity", shortest(group.greatest)},
          {"documents", std::move(documents)}};
}

void print_duplicates_json(const DuplicateReport& report) {
  Json groups = Json::array();
  for (const DuplicateGroup& group : report.groups) groups.push_back(to_json(group));
  print_json(with_shards({{"revision", report.revision},
                          {"examined", report.examined},
                          {"found", report.found},
                          {"grouped", report.grouped},
                          {"groups", std::move(groups)}},
                         report.shards));
}

void print_groups(const DuplicateReport& report) {
  Table table({"group", "similarity", "docid", "id", "labels"});
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const DuplicateGroup& group = report.groups[i];
    const std::string range = fixed(group.least, 4) + "-" + fixed(group.greatest, 4);
    for (const Duplicate& document : group.documents) {
      table.add_row({std::to_string(i + 1), range, std::to_string(document.docid), document.id,
                     labels_text(document.labels)});
    }
  }
  if (!report.groups.empty()) table.print();
  std::cout << "groups of near-duplicates: " << report.found << ", with " << report.grouped
            << " of " << report.examined << " documents";
  if (report.found > report.groups.size())
    std::cout << "; the largest " << report.groups.size() << " are shown";
  std::cout << '\n';
}

int run(const DuplicatesOptions& options) {
  Progress progress("auto", "compared");
  DuplicateRequest request = options.request;
  request.on_progress = [&](std::uint64_t compared, std::uint64_t all) {
    progress.report_share(compared, all);
    return true;
  };
  const DuplicateReport report = open_engine(options.database).duplicates(request);
  progress.finish();
  if (options.database.common.json) {
    print_duplicates_json(report);
  } else {
    print_groups(report);
  }
  return kGood;
}

}  // namespace

void add_duplicates(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("duplicates", "Show groups of documents that are nearly the same");
  auto options = std::make_shared<DuplicatesOptions>();
  add_database_options(command, options->database);
  command
      .add_option("--threshold", options->request.threshold,
                  "Least similarity of two documents, above 0, at most 1")
      ->capture_default_str()
      ->type_name("S")
      ->check(number_above(0, 1));
  command
      .add_option("--filter", options->request.filter,
                  "Only documents that match this Xapian query")
      ->type_name("QUERY");
  add_limit_option(command, options->request.limit, "groups");
  command.footer(kDuplicatesFooter + 1 + listed_filter_fields() + ".");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
