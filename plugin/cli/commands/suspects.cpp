// kindred suspects: documents whose labels and neighbors differ.

#include <algorithm>
#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/pages/reports/report.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kReasons = 3;  // neighbors shown per document, without --neighbors

constexpr const char* kSuspectsFooter = R"(
Examples:
  kindred suspects --db wiki.db
  kindred suspects --db wiki.db --limit 100 --html suspects.html
  kindred suspects --db wiki.db --limit 5 --neighbors
Every labeled document is classified by all others. A tag that it would be given and lacks is
missing. A tag that it has looks wrong if it gets nearly nothing of the vote, and the document would
be given one that is hardly ever beside it. The clearest cases come first. Nothing is changed.)";

struct SuspectsCommand : QuestionCommand {
  bool neighbors = false;
};

std::string suspect_tag_text(const Json& tag) {
  return shown(name_of(tag["label"])) + ' ' + fixed(tag["confidence"], 4);
}

void print_suspect(const Json& suspect, bool all_neighbors) {
  const std::string title = shown(text_of(suspect["title"]));
  std::cout << shown(name_of(suspect["id"])) << ": ";
  if (suspect.contains("rival")) {
    std::cout << suspect_tag_text(suspect) << " of the vote, but "
              << suspect_tag_text(suspect["rival"]) << '\n';
  } else {
    std::cout << "lacks " << suspect_tag_text(suspect) << ", has "
              << shown(joined(suspect["labels"])) << '\n';
  }
  if (!title.empty()) std::cout << "  " << title << '\n';
  const Json& neighbors = suspect["neighbors"];
  const std::size_t count = all_neighbors ? neighbors.size() : std::min(kReasons, neighbors.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = shown(text_of(neighbors[i]["title"]));
    std::cout << "  " << fixed(neighbors[i]["similarity"], 4) << "  "
              << shown(name_of(neighbors[i]["id"])) << "  " << shown(joined(neighbors[i]["labels"]))
              << (name.empty() ? "" : "  ") << name << '\n';
  }
}

void print_list(const char* heading, const Json& list, bool all_neighbors) {
  std::cout << heading << ": ";
  if (list["found"] == 0) {
    std::cout << "none\n";
  } else {
    std::cout << list["found"] << ", " << list["clear"] << " of them clear (95 % and more)\n";
  }
  for (const Json& suspect : list["suspects"]) print_suspect(suspect, all_neighbors);
}

void print_suspects(const Json& answer, const QuestionCommand& command) {
  if (!command.html.empty())
    write_report(command.html, "suspects", command.database.database, answer);
  if (command.has_json()) return;
  const bool all_neighbors = static_cast<const SuspectsCommand&>(command).neighbors;
  print_list("Missing tags", answer["missing"], all_neighbors);
  std::cout << '\n';
  print_list("Tags that look wrong", answer["wrong"], all_neighbors);
}

}  // namespace

void add_suspects(CLI::App& program, Action& action) {
  auto options = std::make_shared<SuspectsCommand>();
  CLI::App& command =
      add_question(program, action, "suspects", "suspects", "classified", print_suspects, options);
  options->database.needs_labels = true;
  add_keys(command, "suspects", options->request, {"limit", "after", "query", "filter"});
  command.add_flag("--neighbors", options->neighbors,
                   "Show all neighbors of each document, not only the nearest three");
  add_html_option(command, options->html, "Also write a page to work through them to this file");
  command.footer(kSuspectsFooter + 1);
}

}  // namespace kindred::cli
