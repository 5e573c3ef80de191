// kindred evaluate: how well predicted tags agree with the ones that people gave.

#include "plugin/evaluate.h"

#include <chrono>
#include <iostream>
#include <memory>

#include "plugin/cli/commands.h"
#include "plugin/cli/json_output.h"
#include "plugin/cli/options.h"
#include "plugin/cli/progress.h"
#include "plugin/cli/record_batch.h"
#include "plugin/cli/table.h"

namespace kindred::cli {
namespace {

constexpr const char* kFooter = R"(
Examples:
  kindred evaluate --db train.db --jsonl test.jsonl
  kindred evaluate --db train.db --jsonl all.jsonl.gz --split test -k 45 --json
Records without labels are left out.)";

struct EvaluateOptions {
  DatabaseOptions database;
  std::string jsonl;
  std::string split;
  ClassifyRequest request;
};

bool is_wanted(const Record& record, const std::string& split) {
  if (record.labels.empty()) return false;
  const auto field = record.fields.find("split");
  return split.empty() || (field != record.fields.end() && field->second == split);
}

/// Adds a batch to the evaluation; false if it has a bad line.
bool add_batch(const Engine& engine, std::vector<ParsedLine>& batch, const EvaluateOptions& options,
               Evaluation& evaluation) {
  bool good = true;
  std::vector<Record> records;
  for (ParsedLine& line : batch) {
    if (!line.error.empty()) {
      report_bad_line(options.jsonl, line.number, line.error);
      good = false;
    } else if (is_wanted(line.record, options.split)) {
      records.push_back(std::move(line.record));
    }
  }
  const std::vector<Classification> results = engine.classify(records, options.request);
  for (std::size_t i = 0; i < records.size(); ++i) evaluation.add(records[i].labels, results[i]);
  return good;
}

void print_report(const EvaluationReport& report, double seconds, bool json) {
  if (json) {
    print_json({{"documents", report.documents},
                {"labels", report.labels},
                {"micro_precision", report.micro_precision},
                {"micro_recall", report.micro_recall},
                {"micro_f1", report.micro_f1},
                {"macro_f1", report.macro_f1},
                {"accuracy", report.accuracy},
                {"seconds", seconds}});
    return;
  }
  Table table({"measure", "value"});
  table.add_row({"documents", std::to_string(report.documents)});
  table.add_row({"labels", std::to_string(report.labels)});
  table.add_row({"micro precision", fixed(report.micro_precision, 4)});
  table.add_row({"micro recall", fixed(report.micro_recall, 4)});
  table.add_row({"micro F1", fixed(report.micro_f1, 4)});
  table.add_row({"macro F1", fixed(report.macro_f1, 4)});
  table.add_row({"accuracy", fixed(report.accuracy, 4)});
  table.add_row({"seconds", fixed(seconds, 2)});
  table.print();
}

int run(const EvaluateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  RecordReader reader(options.jsonl);
  const Engine engine = open_engine(options.database);
  Evaluation evaluation;
  Progress progress("auto", "evaluated");
  bool good = true;
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    good = add_batch(engine, batch, options, evaluation) && good;
    progress.report(evaluation.report().documents);
  }
  progress.finish();
  const EvaluationReport report = evaluation.report();
  if (report.documents == 0) {
    throw Error(Errc::kNotFound, options.jsonl + ": no records with labels" +
                                     (options.split.empty() ? "" : " in split " + options.split));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_report(report, took.count(), options.database.common.json);
  return good ? kGood : kFailed;
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("evaluate", "Measure predicted tags against the true ones");
  auto options = std::make_shared<EvaluateOptions>();
  add_database_options(command, options->database);
  command.add_option("--jsonl", options->jsonl, "Records with labels, - for standard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--split", options->split, "Only records whose key \"split\" is this")
      ->type_name("NAME");
  command.add_option("-k", options->request.k, "Neighbors that vote")
      ->type_name("N")
      ->check(whole_number(1, 1000000));
  command
      .add_option("--threshold", options->request.threshold, "Least confidence of a tag, 0 to 1")
      ->type_name("C")
      ->check(number(0, 1));
  command.footer(kFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
