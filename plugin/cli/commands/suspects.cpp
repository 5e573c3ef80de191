// kindred suspects: documents whose neighbors speak against their labels.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/answers/curation.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/cli/pages/reports/reports.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kReasons = 3;  // neighbors shown per document, without --neighbors

constexpr const char* kSuspectsFooter = R"(
Examples:
  kindred suspects --db wiki.db
  kindred suspects --db wiki.db --limit 100 --html suspects.html
  kindred suspects --db wiki.db --limit 5 --neighbors
Every labeled document is classified by all others. A document is shown if a label that it lacks
gets more of the vote than one that it has. The clearest cases come first. Nothing is changed.)";

struct SuspectsOptions {
  DatabaseOptions database;
  SuspectsRequest request;
  bool neighbors = false;
  std::string html;
};

Json tag_json(const Tag& tag) { return {{"label", tag.label}, {"confidence", tag.confidence}}; }

Json tags_json(const std::vector<Tag>& tags) {
  Json list = Json::array();
  for (const Tag& tag : tags) list.push_back(tag_json(tag));
  return list;
}

Json neighbors_json(const Suspect& suspect) {
  Json list = Json::array();
  for (std::size_t i = 0; i < suspect.neighbors.size(); ++i) {
    const Voter& voter = suspect.neighbors[i];
    list.push_back({{"id", voter.id},
                    {"similarity", shortest(voter.similarity)},
                    {"labels", voter.labels},
                    {"title", suspect.neighbor_titles[i]}});
  }
  return list;
}

Json reasons_json(const Suspect& suspect) {
  Json list = Json::array();
  for (const TagReason& reason : suspect.reasons) {
    Json json = {{"label", reason.label}};
    json.update(reason_json(reason, suspect.neighbors));
    list.push_back(std::move(json));
  }
  return list;
}

Json to_json(const std::vector<Suspect>& suspects) {
  Json list = Json::array();
  for (const Suspect& suspect : suspects) {
    list.push_back({{"id", suspect.id},
                    {"docid", suspect.docid},
                    {"title", suspect.title},
                    {"labels", suspect.labels},
                    {"margin", suspect.margin()},
                    {"weakest", tag_json(suspect.weakest)},
                    {"strongest", tag_json(suspect.strongest)},
                    {"proposed", tags_json(suspect.proposed)},
                    {"reasons", reasons_json(suspect)},
                    {"neighbors", neighbors_json(suspect)}});
  }
  return {{"suspects", std::move(list)}};
}

std::string joined(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + shown(label);
  return text;
}

void print_suspect(const Suspect& suspect, bool all_neighbors) {
  std::cout << shown(suspect.id) << ": has " << joined(suspect.labels) << '\n';
  if (!suspect.title.empty()) std::cout << "  " << shown(suspect.title) << '\n';
  std::cout << "  " << shown(suspect.weakest.label) << ' ' << fixed(suspect.weakest.confidence, 4)
            << " of the vote, but " << shown(suspect.strongest.label) << ' '
            << fixed(suspect.strongest.confidence, 4) << '\n';
  const std::size_t neighbors = suspect.neighbors.size();
  const std::size_t count = all_neighbors ? neighbors : std::min(kReasons, neighbors);
  for (std::size_t i = 0; i < count; ++i) {
    const Voter& voter = suspect.neighbors[i];
    const std::string& title = suspect.neighbor_titles[i];
    std::cout << "  " << fixed(voter.similarity, 4) << "  " << shown(voter.id) << "  "
              << joined(voter.labels) << (title.empty() ? "" : "  ") << shown(title) << '\n';
  }
}

int run(const SuspectsOptions& options) {
  Progress progress("auto", "classified");
  SuspectsRequest request = options.request;
  request.on_progress = [&](std::uint64_t classified, std::uint64_t all) {
    progress.report_share(classified, all);
    return true;
  };
  const std::vector<Suspect> suspects = open_engine(options.database).suspects(request).suspects;
  progress.finish();
  if (!options.html.empty())
    write_suspects_report(options.html, options.database.database, suspects);
  if (options.database.common.json) {
    print_json(to_json(suspects));
    return kGood;
  }
  if (suspects.empty()) std::cout << "no document's labels are in doubt\n";
  for (const Suspect& suspect : suspects) print_suspect(suspect, options.neighbors);
  return kGood;
}

}  // namespace

void add_suspects(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("suspects", "Show documents that seem to have a wrong label");
  auto options = std::make_shared<SuspectsOptions>();
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  add_limit_option(command, options->request.limit, "documents");
  command
      .add_option("--filter", options->request.filter,
                  "Only documents that match this Xapian query vote")
      ->type_name("QUERY");
  command.add_flag("--neighbors", options->neighbors,
                   "Show all neighbors of each document, not only the nearest three");
  command
      .add_option("--html", options->html,
                  "Also write a page to work through them to this HTML file")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  command.footer(kSuspectsFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
