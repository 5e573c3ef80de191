// kindred suspects: documents whose neighbors speak against their labels.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/answers/suspects.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kReasons = 3;  // neighbors shown per document; --json has all

constexpr const char* kSuspectsFooter = R"(
Examples:
  kindred suspects --db wiki.db
  kindred suspects --db wiki.db --limit 100 --json
Every labeled document is classified by all others. A document is shown if a label that it lacks
gets more of the vote than one that it has. The clearest cases come first. Nothing is changed.)";

struct SuspectsOptions {
  DatabaseOptions database;
  SuspectsRequest request;
};

Json tag_json(const Tag& tag) { return {{"label", tag.label}, {"confidence", tag.confidence}}; }

Json to_json(const std::vector<Suspect>& suspects) {
  Json list = Json::array();
  for (const Suspect& suspect : suspects) {
    Json neighbors = Json::array();
    for (const Voter& voter : suspect.neighbors) {
      neighbors.push_back(
          {{"id", voter.id}, {"similarity", shortest(voter.similarity)}, {"labels", voter.labels}});
    }
    list.push_back({{"id", suspect.id},
                    {"docid", suspect.docid},
                    {"labels", suspect.labels},
                    {"margin", suspect.margin()},
                    {"weakest", tag_json(suspect.weakest)},
                    {"strongest", tag_json(suspect.strongest)},
                    {"neighbors", std::move(neighbors)}});
  }
  return {{"suspects", std::move(list)}};
}

std::string joined(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ", ") + shown(label);
  return text;
}

void print_suspect(const Suspect& suspect) {
  std::cout << shown(suspect.id) << ": has " << joined(suspect.labels) << "\n  "
            << shown(suspect.weakest.label) << ' ' << fixed(suspect.weakest.confidence, 4)
            << " of the vote, but " << shown(suspect.strongest.label) << ' '
            << fixed(suspect.strongest.confidence, 4) << '\n';
  const std::size_t count = std::min(kReasons, suspect.neighbors.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Voter& voter = suspect.neighbors[i];
    std::cout << "  " << fixed(voter.similarity, 4) << "  " << shown(voter.id) << "  "
              << joined(voter.labels) << '\n';
  }
}

int run(const SuspectsOptions& options) {
  Progress progress("auto", "classified");
  SuspectsRequest request = options.request;
  request.on_progress = [&](std::uint64_t classified, std::uint64_t all) {
    progress.report_share(classified, all);
    return true;
  };
  const std::vector<Suspect> suspects = open_engine(options.database).suspects(request);
  progress.finish();
  if (options.database.common.json) {
    print_json(to_json(suspects));
    return kGood;
  }
  if (suspects.empty()) std::cout << "no document's labels are in doubt\n";
  for (const Suspect& suspect : suspects) print_suspect(suspect);
  return kGood;
}

}  // namespace

void add_suspects(Command program, Action& action) {
  const Command command =
      program.add_subcommand("suspects", "Show documents that seem to have a wrong label");
  auto options = std::make_shared<SuspectsOptions>();
  add_database_options(command, options->database);
  add_limit_option(command, options->request.limit, "documents");
  command
      .add_option("--filter", options->request.filter,
                  "Only documents that match this Xapian query vote")
      .type_name("QUERY");
  command.footer(kSuspectsFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
