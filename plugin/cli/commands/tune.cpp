// kindred tune: finds the best way to tag the documents of a database, by leave-one-out.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tuning_output.h"
#include "plugin/store/index_file.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/tuning/tune_request.h"
#include "plugin/votes/tuning/tuning_json.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kShown = 15;  // methods in the table

constexpr const char* kTuneFooter = R"(
Examples:
  kindred tune --db wiki.db
  kindred tune --db wiki.db --quick
  kindred tune --db wiki.db --filter 'NOT label:draft' --dry-run --json
  kindred tune --db wiki.db --remove
Every labeled document is classified by all others, in many ways. The best way is stored beside the
index, and from then on tags are given in this way. 'kindred related' then weighs terms also by what
they tell of the labels (related.weights). After --remove the index stays untuned until 'kindred tune'
is run again.)";

struct TuneOptions {
  DatabaseOptions database;
  std::string filter;
  std::vector<std::string> groups;
  double keep_terms = TuneRequest{}.keep_terms;
  std::uint64_t seed = TuneRequest{}.seed;
  bool quick = false;
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

/// The numbers of the trials, the best mean of micro and macro F1 first; ties in the order of
/// trying.
std::vector<std::size_t> best_trials(const TuneReport& report) {
  const auto value = [&](std::size_t i) { return report.trials[i].scores.mean_f1(); };
  std::vector<std::size_t> order(report.trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  return order;
}

/// `file`: where the tuning was stored; "" if it was not.
void print_tables(const TuneReport& report, const std::string& file, double seconds) {
  std::cout << promise_text(report);
  std::vector<std::size_t> best = best_trials(report);
  best.resize(std::min(best.size(), kShown));
  Table table({"micro F1", "macro F1", "accuracy", "ECE", "log loss", "method"});
  for (const std::size_t i : best) {
    const auto& [method, scores] = report.trials[i];
    table.add_row({fixed(scores.micro_f1, 4), fixed(scores.macro_f1, 4), fixed(scores.accuracy, 4),
                   fixed(scores.calibration_error, 4),
                   scores.log_loss ? fixed(*scores.log_loss, 4) : "-",
                   method_text(method) + (i == report.best ? "  <- chosen" : "")});
  }
  table.print();
  std::cout << "tried " << report.trials.size() << " methods by leave-one-out on "
            << report.tuning.scores.documents << " documents in " << fixed(seconds, 1) << " s\n"
            << "chosen: " << method_text(report.tuning.method) << '\n'
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

/// With --quick, what Engine::tune_if_needed() looks for.
TuneRequest request_of(const TuneOptions& options) {
  TuneRequest request = options.quick ? quick_tune_request() : TuneRequest();
  request.filter = options.filter;
  request.groups = options.groups;
  request.keep_terms = options.keep_terms;
  request.seed = options.seed;
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
  command.add_option("--filter", options.filter, "Only documents that match this Xapian query vote")
      ->type_name("QUERY");
  command
      .add_option("--group", options.groups,
                  "Documents that share a term with this prefix, or a value (value:SLOT), do not "
                  "vote for each other while methods are measured; may be given several times")
      ->type_name("PREFIX")
      ->allow_extra_args(false);
  command.add_flag(
      "--quick", options.quick,
      "Look for seconds only, as classify.auto_tune does: the vote blend, on a sample");
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
  CLI::App& command = *program.add_subcommand("tune", "Find the best way to tag documents");
  auto options = std::make_shared<TuneOptions>();
  add_database_options(command, options->database);
  add_search_options(command, *options);
  add_result_options(command, *options);
  command.footer(kTuneFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
