// kindred tune: finds the best way to tag the documents of a database, by leave-one-out.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tuning_output.h"
#include "plugin/cli/pages/reports/tuning_report.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/tuning/tune_request.h"
#include "plugin/votes/tuning/tuning_json.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kShown = 15;  // methods in the table, without --trials

constexpr const char* kTuneFooter = R"(
Examples:
  kindred tune --db wiki.db
  kindred tune --db wiki.db --objective micro_f1 --budget 60
  kindred tune --db wiki.db --filter 'NOT label:draft' --dry-run --json
  kindred tune --db wiki.db --html tuning.html --trials
  kindred tune --db wiki.db --remove
Every labeled document is classified by all others, in many ways. The best way is stored beside the
index, and from then on tags are given in this way. 'kindred related' does not change.)";

struct TuneOptions {
  DatabaseOptions database;
  TuneRequest request;
  bool quick = false;
  bool dry_run = false;
  bool remove = false;
  bool trials = false;
  std::string html;
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
void print_tables(const TuneReport& report, const TuneOptions& options, const std::string& file,
                  double seconds) {
  std::cout << promise_text(report);
  std::vector<std::size_t> trials = best_trials(report, options.request.objective);
  if (!options.trials) trials.resize(std::min(trials.size(), kShown));
  Table table({"micro F1", "macro F1", "accuracy", "ECE", "log loss", "seconds", "method"});
  for (const std::size_t i : trials) {
    const auto& [method, scores, passed] = report.trials[i];
    table.add_row({fixed(scores.micro_f1, 4), fixed(scores.macro_f1, 4), fixed(scores.accuracy, 4),
                   fixed(scores.calibration_error, 4),
                   scores.log_loss ? fixed(*scores.log_loss, 4) : "-", fixed(passed, 2),
                   method_text(method) + (i == report.best ? "  <- chosen" : "")});
  }
  table.print();
  std::cout << "tried " << report.trials.size() << " methods by leave-one-out on "
            << report.tuning.scores.documents << " documents in " << fixed(seconds, 1) << " s"
            << (report.complete ? "" : "; the budget ended it") << '\n'
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
  if (options.database.common.json) {
    print_json({{"removed", removed}});
  } else {
    std::cout << (removed ? "removed " : "there is no ") << shown(tuning_path(location)) << '\n';
  }
  return kGood;
}

/// What --quick leaves open, as Engine::tune_if_needed() chooses it.
TuneRequest quickened(TuneRequest request) {
  const TuneRequest quick = quick_tune_request(), defaults;
  request.quick = true;
  if (request.term_weights == defaults.term_weights) request.term_weights = quick.term_weights;
  if (request.sample == defaults.sample) request.sample = quick.sample;
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
      engine.tune(options.quick ? quickened(options.request) : options.request,
                  [&](const std::string& doing, std::uint64_t documents) {
                    progress.report(doing, documents);
                  });
  progress.finish();
  const std::string file = options.dry_run ? "" : engine.store_tuning(report.tuning);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!options.html.empty()) {
    write_tuning_report(
        options.html, {options.database.database, options.request.objective, took.count()}, report);
  }
  if (options.database.common.json) {
    print_json(tune_report_json(report, file, took.count()));
  } else {
    print_tables(report, options, file, took.count());
  }
  return kGood;
}

/// What is tried, and for how long.
void add_search_options(Command command, TuneOptions& options) {
  TuneRequest& request = options.request;
  command
      .add_option("--objective", request.objective,
                  "The measure to maximize; blend is the mean of the two others")
      .type_name("NAME")
      .capture_default_str()
      .choices({"micro_f1", "macro_f1", "blend"});
  command
      .add_option("--budget", request.budget,
                  "Try nothing new after this many seconds; default 0: no limit")
      .type_name("SECONDS")
      .check(number(0, 1e9));
  command.add_option("--filter", request.filter, "Only documents that match this Xapian query vote")
      .type_name("QUERY");
  command
      .add_option("--group", request.groups,
                  "Documents that share a term with this prefix, or a value (value:SLOT), do not "
                  "vote for each other while methods are measured; may be given several times")
      .type_name("PREFIX")
      .allow_extra_args(false);
  command.add_flag(
      "--quick", options.quick,
      "Look for seconds only, as classify.auto_tune does: the vote blend, on a sample");
}

/// Which terms and documents it is tried on.
void add_data_options(Command command, TuneRequest& request) {
  command
      .add_option("--term-weights", request.term_weights,
                  "The kinds of term weights to try; default idf,kl,learned")
      .type_name("NAME,...")
      .delimiter(',')
      .choices({"idf", "kl", "gain", "chi2", "learned"});
  command
      .add_option(
          "--keep-terms", request.keep_terms,
          with_default("Share of the terms to keep, the most telling ones, above 0, at most 1",
                       request.keep_terms))
      .type_name("SHARE")
      .check(number_above(0, 1));
  command
      .add_option("--sample", request.sample,
                  "Classify at most this many documents, drawn at random; 0: all")
      .type_name("N")
      .capture_default_str()
      .check(whole_number(0, 4294967295));
  command
      .add_option("--seed", request.seed,
                  with_default("Seed of the division of documents into parts", request.seed))
      .type_name("S")
      .check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
}

/// What becomes of the results.
void add_result_options(Command command, TuneOptions& options) {
  const Option dry_run = command.add_flag("--dry-run", options.dry_run, "Store nothing");
  const Option trials = command.add_flag("--trials", options.trials,
                                         "Show all methods that were tried, not only the best 15");
  const Option html = command.add_option(
      "--html", options.html, "Also write the methods that were tried to this HTML file");
  html.type_name("FILE").check(not_empty("a file"));
  command.add_flag("--remove", options.remove, "Remove the stored result of an earlier run")
      .excludes(dry_run)
      .excludes(trials)
      .excludes(html);
}

}  // namespace

void add_tune(Command program, Action& action) {
  const Command command = program.add_subcommand("tune", "Find the best way to tag documents");
  auto options = std::make_shared<TuneOptions>();
  add_database_options(command, options->database);
  add_search_options(command, *options);
  add_data_options(command, options->request);
  add_result_options(command, *options);
  command.footer(kTuneFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
