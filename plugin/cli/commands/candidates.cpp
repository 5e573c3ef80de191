// kindred candidates: documents that a tag would suit.

#include <iostream>
#include <memory>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/mirror/query_lexemes.h"

namespace kindred::cli {
namespace {

constexpr const char* kCandidatesFooter = R"(
Examples:
  kindred candidates --db wiki.db space
  kindred candidates --db wiki.db space --filter 'lang:en' --min-confidence 0.5 --explain
  kindred candidates --db wiki.db invoice --limit 100 --json
Every document that lacks the label is classified, and those are shown that it suits best. Documents
that must not get it, or no predicted tags at all, are left out. Nothing is changed.
A filter is a Xapian query over words and these fields:
)";

void print_candidates(const Json& result, const QuestionCommand& command) {
  const Json& candidates = result["candidates"];
  Table table({"confidence", "docid", "id", "labels", "title"});
  Table reasons({"id", "because of"});
  for (const Json& candidate : candidates) {
    table.add_row({fixed(candidate["confidence"], 4), text_of(candidate["docid"]),
                   name_of(candidate["id"]), joined(candidate["labels"]),
                   text_of(candidate["title"])});
    if (candidate.contains("reason"))
      reasons.add_row({name_of(candidate["id"]), reason_text(candidate["reason"])});
  }
  if (!candidates.empty()) table.print();
  std::cout << "candidates: " << result["found"] << " of " << result["examined"]
            << " documents without the label";
  if (result["found"] > candidates.size())
    std::cout << "; the best " << candidates.size() << " are shown";
  std::cout << '\n';
  if (!command.request.contains("explain") || candidates.empty()) return;
  std::cout << '\n';
  reasons.print();
}

}  // namespace

void add_candidates(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "candidates", "candidates", "classified",
                                   print_candidates, options);
  options->database.needs_labels = true;
  options->tunes_first = true;
  add_key(command, "candidates", options->request, "label", "TAG")->required();
  add_keys(command, "candidates", options->request,
           {"limit", "after", "filter", "min_confidence", "predicted", "explain"});
  command.footer(kCandidatesFooter + 1 + listed_filter_fields() + ".");
}

}  // namespace kindred::cli
