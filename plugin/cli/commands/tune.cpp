// kindred tune: fits how the documents of a database are tagged, by leave-one-out.

#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/evaluation_output.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/tuning/tune_request.h"
#include "plugin/votes/tuning/tuning_json.h"

namespace kindred::cli {
namespace {

constexpr const char* kTuneFooter = R"(
Examples:
  kindred tune --db wiki.db
  kindred tune --db wiki.db --documents 100000
  kindred tune --db wiki.db --filter 'NOT label:draft' --dry-run --json
  kindred tune --db wiki.db --remove
Labeled documents are classified by the others, and what is found is stored beside the index: from
then on tags are given by it, and 'kindred related' weighs terms also by what they tell of the
labels. An index with 50 labeled documents does the same by itself, before it gives its first tags.
After --remove the index stays untuned until 'kindred tune' is run again.)";

struct TuneOptions {
  DatabaseOptions database;
  std::string filter;
  std::vector<std::string> groups;
  double keep_terms = TuneRequest{}.keep_terms;
  std::uint64_t seed = TuneRequest{}.seed;
  std::uint64_t documents = TuneRequest{}.documents;
  bool dry_run = false;
  bool remove = false;
};

/// Says so if the confidences are not fitted by leave-one-out, as those of the table are.
std::string forward_text(const Tuning& tuning) {
  if (tuning.forward_documents == 0) return "";
  return "the collection drifts: confidences fitted to the " +
         std::to_string(tuning.forward_documents) +
         " latest documents, as earlier ones classify them\n";
}

/// Says what to expect of documents that come later.
std::string promise_text(const TuneReport& report) {
  return "expect the best tag of " + expectation_text(report) + " of later documents to be right" +
         (report.drift == 0 ? "" : ": of each label, earlier ones find later ones less well") +
         '\n';
}

/// `file`: where the tuning was stored; "" if it was not.
void print_tables(const TuneReport& report, const std::string& file, double seconds) {
  std::cout << promise_text(report);
  const TuningScores& scores = report.tuning.scores;
  Table table({"micro F1", "macro F1", "accuracy", "ECE", "log loss"});
  table.add_row({fixed(scores.micro_f1, 4), fixed(scores.macro_f1, 4), fixed(scores.accuracy, 4),
                 fixed(scores.calibration_error, 4),
                 scores.log_loss ? fixed(*scores.log_loss, 4) : "-"});
  table.print();
  std::cout << "measured by leave-one-out on " << scores.documents << " documents in "
            << fixed(seconds, 1) << " s: " << method_text(report.tuning.method) << '\n'
            << forward_text(report.tuning)
            << (file.empty() ? "nothing stored (--dry-run)" : "stored in " + shown(file)) << '\n';
}

int remove(const TuneOptions& options) {
  const std::string& database = options.database.database;
  const IndexSettings settings = read_settings(options.database).index;
  const std::string location = file_location(database, settings.directory);
  const bool removed = remove_tuning(location);
  if (removed && !settings.read_only) remember_file(database, "tuning", false);
  std::error_code fault;
  if (!removed && !std::filesystem::exists(database, fault))
    throw Error(Errc::kNotFound, database + ": " + (fault ? fault.message() : "no such database"));
  if (can_write_beside(location)) keep_untuned(location);
  if (options.database.common.json) {
    print_json({{"removed", removed}});
  } else {
    std::cout << (removed ? "removed " : "there is no ") << shown(tuning_path(location))
              << "; the index stays untuned until 'kindred tune' finds another\n";
  }
  return kGood;
}

TuneRequest request_of(const TuneOptions& options) {
  TuneRequest request;
  request.filter = options.filter;
  request.groups = options.groups;
  request.keep_terms = options.keep_terms;
  request.seed = options.seed;
  request.documents = options.documents;
  return request;
}

int run(const TuneOptions& options) {
  if (options.remove) return remove(options);
  const auto start = std::chrono::steady_clock::now();
  Settings settings = read_settings(options.database);
  settings.classify.use_tuning = false;  // an older tuning has no say
  Engine engine(options.database.database, settings, make_log(options.database.verbose));
  Progress progress("auto", "");
  const TuneReport report =
      engine.tune(request_of(options), [&](const std::string& doing, std::uint64_t documents) {
        progress.report(doing, documents);
      });
  progress.finish();
  const std::string file = options.dry_run ? "" : engine.store_tuning(report.tuning);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (options.database.common.json) {
    print_json(tune_report_json(report, file, took.count()));
  } else {
    print_tables(report, file, took.count());
  }
  return kGood;
}

/// What is tried, and on which documents.
void add_search_options(CLI::App& command, TuneOptions& options) {
  command
      .add_option("--filter", options.filter, "Only documents that match this Xapian query vote")
      ->type_name("QUERY");
  command
      .add_option("--group", options.groups,
                  "Documents that share a term with this prefix, or a value (value:SLOT), do not "
                  "vote for each other while methods are measured; may be given several times")
      ->type_name("PREFIX")
      ->allow_extra_args(false);
  command
      .add_option("--documents", options.documents,
                  with_default("Labeled documents to look at, drawn at random if there are more; "
                               "a quarter more for each doubling beyond",
                               options.documents))
      ->type_name("N")
      ->transform(whole_number(2, std::numeric_limits<std::int64_t>::max()));
  command
      .add_option(
          "--keep-terms", options.keep_terms,
          with_default("Share of the terms to keep, the most telling ones, above 0, at most 1",
                       options.keep_terms))
      ->type_name("SHARE")
      ->check(number_above(0, 1));
  command
      .add_option("--seed", options.seed,
                  with_default("Seed of the division of documents into parts", options.seed))
      ->type_name("S")
      ->transform(whole_number(0, std::numeric_limits<std::int64_t>::max()));
}

/// What becomes of the results.
void add_result_options(CLI::App& command, TuneOptions& options) {
  CLI::Option* const dry_run = command.add_flag("--dry-run", options.dry_run, "Store nothing");
  command.add_flag("--remove", options.remove, "Remove the stored result of an earlier run")
      ->excludes(dry_run);
}

}  // namespace

void add_tune(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("tune", "Fit how documents are tagged");
  auto options = std::make_shared<TuneOptions>();
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  add_search_options(command, *options);
  add_result_options(command, *options);
  command.footer(kTuneFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
