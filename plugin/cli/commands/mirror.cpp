// kindred mirror: saves the mirror beside the index, so that programs start at once.

#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kMirrorFooter = R"(
Examples:
  kindred mirror --db wiki.db
  kindred related --db wiki.db --id Moon
Saves the numbers that answers are computed from in wiki.db/kindred.mirror. Every program that opens
the index afterwards reads this folder, and of the index only the documents that have changed since.
Answers stay the same. A save writes what is new. 'kindred index', 'ingest' and 'tag' save it by themselves when they have
changed many documents (mirror.save). The older it is, the more has to be read. To do without it,
remove the folder.)";

void print_saved(const Json& result, const QuestionCommand&) {
  std::cout << "saved the mirror of " << result["documents"] << " documents in "
            << shown(text_of(result["path"])) << ", "
            << fixed(result["bytes"].get<double>() / 1e6, 1) << " MB\n";
}

}  // namespace

void add_mirror(CLI::App& program, Action& action) {
  add_question(program, action, "mirror", "save_mirror", "", print_saved,
               std::make_shared<QuestionCommand>())
      .footer(kMirrorFooter + 1);
}

}  // namespace kindred::cli
