// kindred duplicates: groups of documents that are nearly the same.

#include <iostream>
#include <memory>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/mirror/query_lexemes.h"

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

void print_duplicates(const Json& result, const QuestionCommand&) {
  const Json& groups = result["groups"];
  Table table({"group", "similarity", "docid", "id", "labels"});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string range =
        fixed(groups[i]["least_similarity"], 4) + "-" + fixed(groups[i]["greatest_similarity"], 4);
    for (const Json& document : groups[i]["documents"]) {
      table.add_row({std::to_string(i + 1), range, text_of(document["docid"]),
                     name_of(document["id"]), joined(document["labels"])});
    }
  }
  if (!groups.empty()) table.print();
  std::cout << "groups of near-duplicates: " << result["found"] << ", with " << result["grouped"]
            << " of " << result["examined"] << " documents";
  if (result["found"] > groups.size())
    std::cout << "; the largest " << groups.size() << " are shown";
  std::cout << '\n';
}

}  // namespace

void add_duplicates(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "duplicates", "duplicates", "compared",
                                   print_duplicates, options);
  add_keys(command, "duplicates", options->request, {"threshold", "filter", "limit"});
  command.footer(kDuplicatesFooter + 1 + listed_filter_fields() + ".");
}

}  // namespace kindred::cli
