// kindred tune: fits how the documents of a database are tagged, by leave-one-out.

#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred::cli {
namespace {

constexpr const char* kTuneFooter = R"(
Examples:
  kindred tune --db wiki.db
  kindred tune --db wiki.db --documents 100000
  kindred tune --db wiki.db --for precision=0.95
  kindred tune --db wiki.db --filter 'NOT label:draft' --dry-run --json
  kindred tune --db wiki.db --remove
Labeled documents are classified by the others, and what is found is stored beside the index: from
then on tags are given by it, and 'kindred related' weighs terms also by what they tell of the
labels. An index with 100 labeled documents does the same by itself, before it gives its first tags.
After --remove the index stays untuned until 'kindred tune' is run again.)";

/// Why there is a range.
std::string range_text(const Json& tuned) {
  const double drift = number_of(tuned["drift"]);
  const double siblings = number_of(tuned["siblings"]);
  if (siblings > drift) return ": the least is for documents that have no siblings here";
  if (drift > 0) return ": of each label, earlier ones find later ones less well";
  if (number_of(tuned["alone"]) > 0) return ": some have labels that no other document has";
  return "";
}

/// Says what to expect of documents that come later.
std::string promise_text(const Json& tuned) {
  std::string text = expectation_text(tuned);
  const bool is_measured = tuned.contains("expected_at_most");
  if (is_measured) text += range_text(tuned);
  return text + '\n';
}

/// Says so if not only leave-one-out, which the table is of, tells how the blend is fitted.
std::string forward_text(const Json& tuning) {
  if (tuning["forward_documents"] == 0) return "";
  return "the collection drifts: the blend is fitted to the " +
         text_of(tuning["forward_documents"]) +
         " latest documents, as earlier ones classify them\n";
}

/// Says what tags by the thresholds are like, and what these are for.
std::string goal_text(const Json& tuning) {
  const std::string goal = text_of(tuning["goal"]);
  const Json& scores = tuning["scores"];
  std::string text = "thresholds for ";
  if (goal.empty()) {
    text += "the mean of micro and macro F1";
  } else {
    text += goal == "micro" || goal == "macro" ? goal + " F1" : goal;
  }
  return text + ": of the tags given " + percent(number_of(scores["precision"])) +
         " are right, and " + percent(number_of(scores["recall"])) +
         " of the true ones are found\n";
}

/// Says what people do where the vocabulary has broader terms.
std::string hierarchy_text(const Json& tuning) {
  if (!tuning.contains("both_levels")) return "";
  return "of the documents with a narrower label, " + percent(number_of(tuning["both_levels"])) +
         " have a broader one, too\n";
}

void print_tuned(const Json& result, const QuestionCommand& command) {
  if (result.contains("removed")) {
    const std::string& index = command.database.database;
    const std::string directory = read_settings(command.database).index.directory;
    const char* const found = result["removed"].get<bool>() ? "removed " : "there is no ";
    std::cout << found << shown(tuning_path(file_location(index, directory)))
              << "; the index stays untuned until 'kindred tune' finds another\n";
    return;
  }

  const Json& tuning = result["tuning"];
  const Json& scores = tuning["scores"];
  std::cout << promise_text(result);

  Table table({"micro F1", "macro F1", "accuracy", "ECE", "log loss"});
  table.add_row({fixed(scores["micro_f1"], 4), fixed(scores["macro_f1"], 4),
                 fixed(scores["accuracy"], 4), fixed(scores["calibration_error"], 4),
                 fixed(scores["log_loss"], 4)});
  table.print();

  const std::string stored = result["file"].is_null()
                                 ? "nothing stored (--dry-run)"
                                 : "stored in " + shown(text_of(result["file"]));
  std::cout << "measured by leave-one-out on " << scores["documents"] << " documents in "
            << fixed(result["seconds"], 1) << " s: " << method_text(tuning["method"]) << '\n'
            << goal_text(tuning) << hierarchy_text(tuning) << forward_text(tuning) << stored
            << '\n';
}

}  // namespace

void add_tune(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "tune", "tune", "", print_tuned, options);
  options->database.needs_labels = true;
  options->database.renews_files = true;

  // An older tuning has no say.
  options->database.given.push_back([](Settings& set) {
    set.classify.use_tuning = false;
  });

  add_keys(command, "tune", options->request, {"filter", "groups", "documents", "seed"});
  add_key(command, "tune", options->request, "goal", "--for");
  add_keys(command, "tune", options->request, {"dry_run", "remove"});
  command.get_option("--remove")->excludes(command.get_option("--dry-run"));
  command.footer(kTuneFooter + 1);
}

}  // namespace kindred::cli
