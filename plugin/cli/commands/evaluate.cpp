// kindred evaluate: how well predicted tags agree with the ones that people gave.

#include "plugin/evaluate/evaluate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/regular_file.h"
#include "plugin/cli/auto_tuning.h"
#include "plugin/cli/command_line.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/evaluation_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/pages/reports/reports.h"
#include "plugin/cli/record_batch.h"
#include "plugin/writing/ingest.h"

namespace kindred::cli {
namespace {

constexpr const char* kEvaluateFooter = R"(
Examples:
  kindred evaluate all.jsonl.gz
  kindred evaluate --db train.db --jsonl test.jsonl
  kindred evaluate --db train.db --jsonl all.jsonl.gz --split test -k 45 --json
  kindred evaluate --db wiki.db --leave-one-out --labels
  kindred evaluate --db wiki.db --folds 10 --seed 1 --confusion
Records and documents without labels are not measured. If you leave out the options of the vote, a
tuning of the database ('kindred tune') decides, else the settings file, else the defaults above.)";

struct EvaluateOptions {
  DatabaseOptions database;
  std::string file;  ///< that is measured by itself, in a temporary database
  std::string jsonl;
  std::string split;
  bool leave_one_out = false;
  std::int64_t folds = 0;
  std::int64_t seed = 0;
  ClassifyRequest request;
  ShownParts parts;
  std::string html;
};

/// Of a file that is measured by itself, where there is no split: every fifth record.
bool is_measured(const ParsedLine& line, const EvaluateOptions& options) {
  const bool every_fifth = !options.file.empty() && options.split.empty();
  return every_fifth ? line.number % 5 == 0 : is_in_split(line.record, options.split);
}

bool has_split(const std::string& path, const std::string& split) {
  RecordReader reader(path);
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    if (std::ranges::any_of(batch,
                            [&](const auto& line) { return is_in_split(line.record, split); }))
      return true;
  }
  return false;
}

/// Adds a batch to the evaluation. Returns false if it has a bad line, and how many records were
/// added.
std::pair<bool, std::size_t> add_batch(const Engine& engine, std::vector<ParsedLine>& batch,
                                       const EvaluateOptions& options, BadLines& bad_lines,
                                       Evaluation& evaluation) {
  bool good = true;
  std::vector<Record> records;
  for (ParsedLine& line : batch) {
    if (!line.error.empty()) {
      bad_lines.report(options.jsonl, line.number, line.error);
      good = false;
    } else if (!line.record.labels.empty() && is_measured(line, options)) {
      records.push_back(std::move(line.record));
    }
  }
  const std::vector<Classification> found = engine.classify(records, options.request);
  for (std::size_t i = 0; i < records.size(); ++i) evaluation.add(records[i].labels, found[i]);
  return {good, records.size()};
}

/// Evaluates the records of a file; false if it has a bad line.
bool evaluate_file(const Engine& engine, RecordReader& reader, const EvaluateOptions& options,
                   Evaluation& evaluation, Progress& progress) {
  BadLines bad_lines(options.database.verbose);
  bool good = true;
  std::uint64_t done = 0;
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    const auto [batch_good, documents] = add_batch(engine, batch, options, bad_lines, evaluation);
    good = batch_good && good;
    progress.report(done += documents);
  }
  bad_lines.finish();
  return good;
}

/// Evaluates the labeled documents of the index against each other.
void evaluate_index(const Engine& engine, const EvaluateOptions& options, Evaluation& evaluation,
                    Progress& progress) {
  std::uint64_t done = 0;
  const std::uint64_t all = engine.status().labeled;
  engine.cross_validate(
      {options.leave_one_out ? 0 : options.folds, static_cast<std::uint64_t>(options.seed)},
      options.request, [&](const auto& truth, const Classification& prediction) {
        evaluation.add(truth, prediction);
        if (++done % 1000 == 0 || done == all) progress.report_share(done, all);
      });
}

std::string nothing_found(const EvaluateOptions& options) {
  if (options.jsonl.empty()) return options.database.database + ": no documents with labels";
  return options.jsonl + ": no records with labels" +
         (options.split.empty() ? "" : " in split " + options.split);
}

/// What was evaluated, as a heading.
std::string subject(const EvaluateOptions& options) {
  if (!options.file.empty()) {
    return options.file + (options.split.empty() ? ", every fifth record" : ", split test") +
           " by the others";
  }
  const std::string database = options.database.database + ", ";
  if (options.leave_one_out) return database + "leave-one-out";
  if (options.folds != 0) {
    return database + std::to_string(options.folds) + " folds, seed " +
           std::to_string(options.seed);
  }
  return database + options.jsonl + (options.split.empty() ? "" : ", split " + options.split);
}

int run(const EvaluateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Settings settings = read_settings(options.database);
  std::optional<RecordReader> reader;
  if (!options.jsonl.empty()) reader.emplace(options.jsonl);
  Engine engine = open_engine(options.database, settings);
  if (reader) tune_if_needed(engine, options.request);
  Evaluation evaluation(engine.labels());
  Progress progress("auto", "evaluated");
  bool good = true;
  if (reader) {
    good = evaluate_file(engine, *reader, options, evaluation, progress);
  } else {
    evaluate_index(engine, options, evaluation, progress);
  }
  progress.finish();
  if (evaluation.report().documents == 0) throw Error(Errc::kNotFound, nothing_found(options));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_evaluation(evaluation, subject(options), took.count(), options.parts,
                   options.database.common.json);
  if (!options.html.empty()) write_evaluation_report(options.html, subject(options), evaluation);
  return good ? kGood : kFailed;
}

/// Measures the records of a file by themselves, in a temporary database of those that vote.
int run_alone(EvaluateOptions options) {
  const PrivateFolder folder;
  options.database.database = folder / "db";
  options.jsonl = options.file;
  if (has_split(options.file, "test")) options.split = "test";
  RecordReader reader(options.file);
  IngestOptions how;
  how.tag = false;
  Ingest ingest(options.database.database, read_settings(options.database), how);
  Progress progress("auto", "indexed");
  std::uint64_t done = 0, labeled = 0;
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    for (ParsedLine& line : batch) {
      if (!line.error.empty() || is_measured(line, options)) continue;
      if (line.record.id.empty()) line.record.id = std::to_string(line.number);
      labeled += line.record.labels.empty() ? 0 : 1;
      ingest.add(line.record);
    }
    progress.report(done += batch.size());
  }
  if (labeled == 0)
    throw Error(Errc::kNotFound, options.file + ": no records with labels to learn from");
  ingest.commit();
  progress.finish();
  return run(options);
}

void add_source_options(CLI::App& command, EvaluateOptions& options) {
  command
      .add_option("FILE", options.file,
                  "Measure this JSON Lines file by itself, without a database: the records whose "
                  "key \"split\" is \"test\", or if there are none every fifth, by the others")
      ->type_name("")
      ->check(not_empty("a file"));
  CLI::Option* const file =
      command.add_option("--jsonl", options.jsonl,
                         "Classify the labeled records of this JSON Lines file; - is standard\n"
                         "input");
  file->type_name("FILE")->check(not_empty("a file"));
  command.add_option("--split", options.split, "Only records whose key \"split\" has this value")
      ->type_name("NAME")
      ->needs(file);
  command.add_flag("--leave-one-out", options.leave_one_out,
                   "Classify each labeled document of the index by all others");
  CLI::Option* const folds =
      command.add_option("--folds", options.folds,
                         "Divide the labeled documents of the index into N parts, and\n"
                         "classify each part by the others");
  folds->type_name("N")->transform(whole_number(2, 1000000000));
  command.add_option("--seed", options.seed, with_default("Seed of the division by --folds", 0))
      ->type_name("S")
      ->transform(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->needs(folds);
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "evaluate", "Measure how well predicted tags agree with the true ones");
  auto options = std::make_shared<EvaluateOptions>();
  add_database_options(command, options->database);
  command.get_option("--db")->required(false);  // not with FILE
  options->database.needs_labels = true;
  add_source_options(command, *options);
  add_vote_options(command, options->request);
  command.add_flag("--labels", options->parts.labels, "Show the measures of each label");
  command.add_flag("--confusion", options->parts.confusion,
                   "Show which label was taken for which, if each document has just one");
  command.add_option("--html", options->html, "Also write a report with figures to this HTML file")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  options->request.scores = true;
  command.footer(kEvaluateFooter + 1);
  command.callback([options, &action] {
    const bool alone = !options->file.empty();
    const int sources = (alone ? 1 : 0) + (options->jsonl.empty() ? 0 : 1) +
                        (options->leave_one_out ? 1 : 0) + (options->folds == 0 ? 0 : 1);
    std::string& database = options->database.database;
    if (options->file == "-")
      throw CLI::ValidationError("expected a FILE that can be read again, found standard input");
    if (alone && !database.empty())
      throw CLI::ValidationError("expected FILE without --db, or --jsonl with --db");
    if (!alone && database.empty()) database = usual_database();
    if (!alone && database.empty()) throw CLI::RequiredError("--db");
    if (sources != 1) {
      throw CLI::ValidationError(
          "expected exactly one of FILE, --jsonl, --leave-one-out and --folds");
    }
    action = [options, alone] { return alone ? run_alone(*options) : run(*options); };
  });
}

}  // namespace kindred::cli
