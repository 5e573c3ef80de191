// kindred candidates, duplicates, suspects: documents to look at.

#include <algorithm>
#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/query/filter_fields.h"

namespace kindred::cli {
namespace {

constexpr const char* kDuplicatesFooter = R"(
Examples:
  kindred duplicates --db wiki.db
  kindred duplicates --db wiki.db --min-similarity 1 --json
  kindred duplicates --db wiki.db --min-similarity 0.8 --filter 'label:inbox'
Two documents are connected if they are at least so similar. A group is all that is
connected, also through other documents. The largest groups come first. Nothing is changed.
A filter is a Xapian query over words and these fields:
)";

void print_duplicates(const Json& result, const QuestionCommand&) {
  const Json& groups = result["groups"];
  Table table({"group", "similarity", "docid", "id", "labels", "title"});

  // Only the first document of a group has its number and range, so that groups stand apart.
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::string number = std::to_string(i + 1);
    std::string range =
        fixed(groups[i]["least_similarity"], 4) + "-" + fixed(groups[i]["greatest_similarity"], 4);
    for (const Json& document : groups[i]["documents"]) {
      table.add_row({number, range, text_of(document["docid"]), name_of(document["id"]),
                     labels_text(document["labels"], result), grouped_title(document)});
      number.clear();
      range.clear();
    }
  }

  if (!groups.empty()) table.print();

  std::cout << "groups of near-duplicates: " << result["found"] << ", with " << result["grouped"]
            << " of " << result["examined"] << " documents";
  if (result["found"] > groups.size())
    std::cout << "; the largest " << groups.size() << " are shown";
  std::cout << '\n';
}

constexpr std::size_t kReasons = 3;  // voters shown per document, without --voters

constexpr const char* kSuspectsFooter = R"(
Examples:
  kindred suspects --db wiki.db
  kindred suspects --db wiki.db --limit 100 --html suspects.html
  kindred suspects --db wiki.db --limit 5 --voters
Every labeled document is classified by all others. A tag that it would be given and lacks is
missing. A tag that it has looks wrong if it gets nearly nothing of the vote, and the document would
be given one that is hardly ever beside it. The clearest cases come first. Nothing is changed.)";

struct SuspectsCommand : QuestionCommand {
  bool voters = false;
};

std::string suspect_tag_text(const Json& tag) {
  return shown(label_text(tag)) + ' ' + fixed(tag["confidence"], 4);
}

void print_suspect(const Json& suspect, const Json& answer, bool all_voters) {
  const std::string title = shown(text_of(suspect["title"]));

  // A rival makes a tag look wrong; a missing one is beside those that are there.
  std::cout << shown(name_of(suspect["id"])) << ": ";
  if (suspect.contains("rival")) {
    std::cout << suspect_tag_text(suspect) << " of the vote, but "
              << suspect_tag_text(suspect["rival"]) << '\n';
  } else {
    std::cout << "lacks " << suspect_tag_text(suspect) << ", has "
              << shown(labels_text(suspect["labels"], answer)) << '\n';
  }

  if (!title.empty()) std::cout << "  " << title << '\n';

  const Json& voters = suspect["voters"];
  std::size_t count = voters.size();
  if (!all_voters) count = std::min(kReasons, count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string title_of_voter = shown(text_of(voters[i]["title"]));
    if (!title_of_voter.empty()) title_of_voter.insert(0, "  ");
    std::cout << "  " << fixed(voters[i]["similarity"], 4) << "  "
              << shown(name_of(voters[i]["id"])) << "  "
              << shown(labels_text(voters[i]["labels"], answer)) << title_of_voter << '\n';
  }
}

void print_list(const char* heading, const Json& list, const Json& answer, bool all_voters) {
  std::cout << heading << ": ";
  if (list["found"] == 0) {
    std::cout << "none\n";
  } else {
    std::cout << list["found"] << ", " << list["clear"] << " of them clear (95 % and more)\n";
  }
  for (const Json& suspect : list["suspects"]) print_suspect(suspect, answer, all_voters);
}

void print_suspects(const Json& answer, const QuestionCommand& command) {
  const bool all_voters = static_cast<const SuspectsCommand&>(command).voters;
  print_list("Missing tags", answer["missing"], answer, all_voters);
  std::cout << '\n';
  print_list("Tags that look wrong", answer["wrong"], answer, all_voters);
}

constexpr const char* kCandidatesFooter = R"(
Examples:
  kindred candidates --db wiki.db space
  kindred candidates --db wiki.db space --filter 'lang:en' --min-confidence 0.5 --explain
  kindred candidates --db wiki.db invoice --limit 100 --json
Every document that lacks the label is classified, and those are shown that it suits best. Documents
that must not get it, or no predicted tags at all, are left out. Nothing is changed.
A filter is a Xapian query over words and these fields:
)";

void print_candidates(const Json& result, const QuestionCommand&) {
  const Json& candidates = result["candidates"];
  Table table({"confidence", "docid", "id", "labels", "title"});

  for (const Json& candidate : candidates) {
    table.add_row({fixed(candidate["confidence"], 4), text_of(candidate["docid"]),
                   name_of(candidate["id"]), labels_text(candidate["labels"], result),
                   text_of(candidate["title"])});
    if (candidate.contains("reason")) table.add_line(reason_text(candidate["reason"]));
  }

  if (!candidates.empty()) table.print();

  std::cout << "candidates: " << result["found"] << " of " << result["examined"]
            << " documents without the label";
  if (result["found"] > candidates.size())
    std::cout << "; the best " << candidates.size() << " are shown";
  std::cout << '\n';
}

}  // namespace

void add_duplicates(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "duplicates", "duplicates", "compared",
                                   print_duplicates, options);
  add_keys(command, "duplicates", options->request, {"min_similarity", "filter", "limit", "group"});
  command.footer(kDuplicatesFooter + 1 + listed_filter_fields() + ".");
}

void add_suspects(CLI::App& program, Action& action) {
  auto options = std::make_shared<SuspectsCommand>();
  CLI::App& command =
      add_question(program, action, "suspects", "suspects", "classified", print_suspects, options);

  options->database.needs_labels = true;
  add_keys(command, "suspects", options->request,
           {"limit", "offset", "query", "filter", "documents"});

  command.add_flag("--voters", options->voters,
                   "Show all voters of each document, not only the nearest three");
  add_file_option(command, "--html", options->html,
                  "Also write a page to work through them to this file");

  command.footer(kSuspectsFooter + 1);
}

void add_candidates(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "candidates", "candidates", "classified",
                                   print_candidates, options);
  options->database.needs_labels = true;
  options->tunes_first = true;

  add_key(command, "candidates", options->request, "label", "TAG")->required();
  add_keys(command, "candidates", options->request,
           {"limit", "offset", "filter", "min_confidence", "predicted", "explain"});

  command.footer(kCandidatesFooter + 1 + listed_filter_fields() + ".");
}

}  // namespace kindred::cli
