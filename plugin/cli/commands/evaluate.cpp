// kindred evaluate: how well predicted tags agree with the ones that people gave.

#include "plugin/evaluate/evaluation.h"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/private_folder.h"
#include "config/regular_file.h"
#include "config/shown.h"
#include "plugin/ask/asking.h"
#include "plugin/ask/evaluation_json.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/command_line.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"
#include "plugin/cli/record_lines.h"
#include "plugin/writing/ingest.h"

namespace kindred::cli {
namespace {

constexpr const char* kEvaluateFooter = R"(
Examples:
  kindred evaluate all.jsonl.gz
  kindred evaluate --db train.db --jsonl test.jsonl
  kindred evaluate --db train.db --jsonl all.jsonl.gz --split test --neighbors 45
  kindred evaluate --db books.db --jsonl test.jsonl --at 5,10 --by lang
  kindred evaluate --db wiki.db --leave-one-out --labels
  kindred evaluate --db wiki.db --folds 10 --confusion
Records and documents without labels are not measured. If you leave out the options of the vote, a
tuning of the database ('kindred tune') decides, else the settings file, else the defaults above.)";

struct EvaluateCommand : QuestionCommand {
  std::string file;  ///< that is measured by itself, in a temporary database
  std::string jsonl;
  std::string split;
  std::string by;  ///< the key of records that are measured in groups, too
  MapOptions map;
  bool leave_one_out = false;
};

/// Of a file that is measured by itself, where there is no split: every fifth record.
bool is_measured(const ParsedLine& line, const EvaluateCommand& options) {
  const bool every_fifth = !options.file.empty() && options.split.empty();
  if (every_fifth) return line.number % 5 == 0;
  return is_in_split(line.record, options.split);
}

bool has_split(const std::string& path, const FieldMap& map, const std::string& split) {
  RecordFile reader(path, map);
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    const auto is_one = [&](const auto& line) {
      return is_in_split(line.record, split);
    };
    if (std::ranges::any_of(batch, is_one)) return true;
  }
  return false;
}

/// What a record has under a key; "" if it has nothing.
std::string value_of(const Record& record, const std::string& key) {
  if (key == "lang") return record.language;
  const auto field = record.fields.find(key);
  return field == record.fields.end() ? "" : field->second;
}

/// The measures of all records of a file and, with --by, of those that have the same value.
class FileEvaluation {
 public:
  FileEvaluation(std::vector<std::string> labels, const EvaluateCommand& options)
      : labels_(std::move(labels)),
        at_(options.request.value("at", std::vector<std::int64_t>())),
        by_(options.by),
        all_(labels_, at_) {}

  void add(const Record& record, const Classification& found) {
    all_.add(record.labels, found);
    if (by_.empty()) return;
    const auto group = groups_.try_emplace(value_of(record, by_), labels_, at_).first;
    group->second.add(record.labels, found);
  }

  bool is_empty() const { return all_.report().documents == 0; }
  Json json(const ShownParts& parts) const { return evaluation_json(all_, parts, groups_); }

 private:
  const std::vector<std::string> labels_;
  const std::vector<std::int64_t> at_;
  const std::string by_;
  Evaluation all_;
  std::map<std::string, Evaluation> groups_;
};

/// Adds a batch to the evaluation. Returns how many records were added.
std::size_t add_batch(const Engine& engine, std::vector<ParsedLine>& batch,
                      const EvaluateCommand& options, BadLines& bad_lines,
                      FileEvaluation& evaluation) {
  // Bad lines and records that are not to be measured leave no gap: what is classified is what is
  // compared.
  std::vector<Record> records;
  for (ParsedLine& line : batch) {
    if (!line.error.empty()) {
      bad_lines.report(options.jsonl, line.number, line.error);
    } else if (!line.record.labels.empty() && is_measured(line, options)) {
      records.push_back(std::move(line.record));
    }
  }

  // Scores of all labels, because measures over thresholds need more than the tags that are given.
  ClassifyRequest vote = voting_request(options.request);
  vote.scores = true;
  vote.suggest = true;
  const std::vector<Classification> found = engine.classify(records, vote);

  for (std::size_t i = 0; i < records.size(); ++i) {
    evaluation.add(records[i], found[i]);
  }
  return records.size();
}

/// Evaluates the records of a file, as the question does documents of the index; false if it has a
/// bad line.
bool evaluate_file(AskedDatabase& database, const EvaluateCommand& options, Json& answer) {
  // The clock counts the tuning, too: it is part of what the answer takes.
  const auto start = std::chrono::steady_clock::now();
  RecordFile reader(options.jsonl, options.map.read());
  const Engine& engine = database.engine();
  if (!options.request.contains("vote")) database.tune_if_needed();

  FileEvaluation evaluation(engine.labels(), options);
  Progress progress("auto", "evaluated");
  BadLines bad_lines(options.database.verbose);
  std::uint64_t done = 0;

  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    done += add_batch(engine, batch, options, bad_lines, evaluation);
    progress.report_read(done, reader.position());
  }

  const bool good = bad_lines.finish();
  progress.finish();
  if (evaluation.is_empty()) {
    std::string fault = options.jsonl + ": no records with labels";
    if (!options.split.empty()) fault += " in split " + options.split;
    throw Error(Errc::kNotFound, fault);
  }

  // The answer has the form of the question's, so that the same code prints both.
  const Json& request = options.request;
  answer = {{"question", "evaluate"}, {"request", request}, {"revision", engine.status().revision}};
  answer.update(evaluation.json({request.contains("per_label"), request.contains("confusion")}));

  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  answer["seconds"] = took.count();
  return good;
}

void print_summary(const Json& answer, const std::string& subject) {
  // People understand "84 of 100" sooner than a share, and more than there are must not be
  // promised.
  const auto of = std::min<std::uint64_t>(answer["documents"].get<std::uint64_t>(), 100);
  const auto whole = [&](const char* key, double all) {
    return fixed(all * number_of(answer[key]), 0);
  };

  std::cout << fitted("The best tag is right for " + whole("accuracy", static_cast<double>(of)) +
                      " of " + counted(of, "document") + "; of the tags given " +
                      whole("micro_precision", 100) + " % are right, and " +
                      whole("micro_recall", 100) + " % of the true ones are found.\n")
            << "Measured: " << shown(subject) << "\n\n";
}

/// "micro_f1" as "micro F1".
std::string measure_name(std::string key) {
  std::ranges::replace(key, '_', ' ');
  if (key.ends_with("f1")) key.replace(key.size() - 2, 2, "F1");
  return key;
}

void print_measures(const Json& answer) {
  Table table({"measure", "value"});

  // The answer has the measures beside other things; a measure is a number.
  for (const auto& [key, value] : answer.items()) {
    if (!value.is_number() || key == "revision") continue;
    table.add_row(
        {measure_name(key), value.is_number_integer() ? text_of(value) : fixed(value, 4)});
  }
  table.print();
}

void print_best_labels(const Json& reports) {
  Table table({"best labels", "precision", "recall", "F1", "NDCG"});
  for (const Json& report : reports) {
    table.add_row({text_of(report["k"]), fixed(report["precision"], 4), fixed(report["recall"], 4),
                   fixed(report["f1"], 4), fixed(report["ndcg"], 4)});
  }

  std::cout << '\n';
  table.print();
}

/// `by`: the key of the groups.
void print_groups(const Json& groups, const std::string& by) {
  std::vector<std::string> headings = {"documents", "accuracy", "micro F1", "calibration error"};
  for (const Json& report : groups.front().value("best_labels", Json::array()))
    headings.push_back("F1 of " + text_of(report["k"]));
  headings.push_back(by);

  Table table(std::move(headings));
  for (const Json& group : groups) {
    std::vector<std::string> cells = {text_of(group["documents"]), fixed(group["accuracy"], 4),
                                      fixed(group["micro_f1"], 4),
                                      fixed(group["calibration_error"], 4)};
    for (const Json& report : group.value("best_labels", Json::array()))
      cells.push_back(fixed(report["f1"], 4));
    cells.push_back(text_of(group["value"]));
    table.add_row(std::move(cells));
  }

  std::cout << '\n';
  table.print();
}

void print_labels(const Json& labels) {
  Table table({"support", "predicted", "right", "precision", "recall", "F1", "label"});
  for (const Json& label : labels) {
    table.add_row({text_of(label["support"]), text_of(label["predicted"]), text_of(label["right"]),
                   fixed(label["precision"], 4), fixed(label["recall"], 4), fixed(label["f1"], 4),
                   label_text(label)});
  }

  std::cout << '\n';
  table.print();
}

void print_reliability(const Json& bins) {
  Table table({"confidence", "documents", "mean confidence", "accuracy"});
  for (const Json& bin : bins) {
    table.add_row({fixed(bin["low"], 1) + " to " + fixed(bin["high"], 1), text_of(bin["documents"]),
                   fixed(bin["confidence"], 4), fixed(bin["accuracy"], 4)});
  }

  std::cout << '\n';
  table.print();
}

constexpr std::size_t kConfusionsListed = 30;  // --json has all
constexpr std::size_t kColumnsOfFile = 100;    // if standard output is no terminal

void print_worst(const Json& worst) {
  if (worst.empty()) {
    std::cout << "no confusion: the best label of every document is right\n";
    return;
  }

  Table table({"documents", "share", "true label -> best label"});
  const std::size_t listed = std::min(kConfusionsListed, worst.size());
  for (std::size_t i = 0; i < listed; ++i) {
    const Json& taken_for = worst[i]["taken_for"];
    table.add_row({text_of(worst[i]["documents"]), percent(number_of(worst[i]["share"])),
                   label_text(worst[i]) + " -> " +
                       (taken_for.is_null() ? "(none)" : label_text(worst[i], "taken_for"))});
  }

  table.print();
  if (listed < worst.size())
    std::cout << "and " << worst.size() - listed << " more; --json has all\n";
}

/// Prints the matrix if its rows fit into the width of the output.
void print_matrix(const Json& answer) {
  const Json& labels = answer["confusion"]["labels"];
  const Json& counts = answer["confusion"]["counts"];
  constexpr std::size_t kGap = 2;
  constexpr std::size_t kLeastName = 12;

  // The width is known before anything is printed: a matrix whose rows break is no matrix.
  std::vector<std::string> headings;
  std::size_t width = kLeastName;
  for (std::size_t column = 0; column <= labels.size(); ++column) {
    headings.push_back(column == labels.size() ? "none" : std::to_string(column + 1));
    std::size_t widest = headings.back().size();
    for (const Json& row : counts) widest = std::max(widest, text_of(row[column]).size());
    width += widest + kGap;
  }

  const std::size_t columns = terminal_width(STDOUT_FILENO);
  if (width > (columns > 0 ? columns : kColumnsOfFile)) return;

  headings.emplace_back("true label");
  Table table(std::move(headings));
  for (std::size_t row = 0; row < labels.size(); ++row) {
    std::vector<std::string> cells;
    for (const Json& count : counts[row]) cells.push_back(count == 0 ? "." : text_of(count));
    cells.push_back(std::to_string(row + 1) + " " +
                    labels_text(Json::array({labels[row]}), answer));
    table.add_row(std::move(cells));
  }

  std::cout << "\ndocuments by true label (rows) and best label (columns, by number)\n";
  table.print();
}

void print_confusion(const Json& answer) {
  const Json& confusion = answer["confusion"];
  std::cout << '\n';
  if (confusion.is_null()) {
    std::cout << "no confusion matrix: some document has more than one label\n";
    return;
  }
  print_worst(confusion["worst"]);
  print_matrix(answer);
}

/// Prints the answer as tables. `subject`: what was measured, and how.
void print_evaluation(const Json& answer, const std::string& subject, const ShownParts& parts,
                      const std::string& by) {
  print_summary(answer, subject);
  print_measures(answer);
  print_reliability(answer["reliability"]);
  if (answer.contains("best_labels")) print_best_labels(answer["best_labels"]);
  if (answer.contains("groups")) print_groups(answer["groups"], by);
  if (parts.labels) print_labels(answer["per_label"]);
  if (parts.confusion) print_confusion(answer);
}

/// What was evaluated, as a heading.
std::string subject(const EvaluateCommand& options) {
  if (!options.file.empty()) {
    if (options.split.empty()) return options.file + ", every fifth record by the others";
    return options.file + ", split test by the others";
  }

  const std::string database = options.database.database + ", ";
  if (options.leave_one_out) return database + "leave-one-out";
  if (options.request.contains("folds"))
    return database + options.request["folds"].dump() + " folds, seed " +
           options.request.value("seed", Json(0)).dump();
  if (options.split.empty()) return database + options.jsonl;
  return database + options.jsonl + ", split " + options.split;
}

int run(EvaluateCommand options) {
  AskedDatabase database(options.database, "auto", "evaluated");

  // The page has all parts; standard output only those that were asked for.
  const ShownParts parts = {options.request.contains("per_label"),
                            options.request.contains("confusion")};
  if (!options.html.empty()) {
    options.request["per_label"] = true;
    options.request["confusion"] = true;
  }

  Json answer;
  bool good = true;
  if (options.jsonl.empty()) {
    answer = database.ask("evaluate", options.request);
  } else {
    good = evaluate_file(database, options, answer);
  }

  if (options.has_json()) {
    print_json(answer);
  } else {
    print_evaluation(answer, subject(options), parts, options.by);
  }

  if (!options.html.empty()) write_report(options.html, "evaluate", subject(options), answer);
  if (good) return kGood;
  return kFailed;
}

/// Measures the records of a file by themselves, in a temporary database of those that vote.
int run_alone(EvaluateCommand options) {
  const PrivateFolder folder;

  // The folder goes with `folder`, so nothing is left behind.
  options.database.database = folder / "db";
  options.jsonl = options.file;
  const FieldMap map = options.map.read();
  if (has_split(options.file, map, "test")) options.split = "test";

  RecordFile reader(options.file, map);

  // Only those that vote are indexed, without tags of their own: run() classifies the others.
  IngestOptions how;
  how.tag = false;
  Ingest ingest(options.database.database, read_settings(options.database), how);

  Progress progress("auto", "indexed");
  std::uint64_t done = 0;
  std::uint64_t labeled = 0;
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    for (ParsedLine& line : batch) {
      if (!line.error.empty() || is_measured(line, options)) continue;
      if (line.record.id.empty()) line.record.id = std::to_string(line.number);
      if (!line.record.labels.empty()) ++labeled;
      ingest.add(line.record);
    }
    done += batch.size();
    progress.report_read(done, reader.position());
  }

  ingest.commit();
  if (labeled == 0) {
    throw Error(Errc::kNotFound, options.file + ": no records with labels to learn from" +
                                     unread_keys_text(ingest.report().unread_keys, {"labels"}));
  }

  progress.finish();
  return run(options);
}

void add_source_options(CLI::App& command, EvaluateCommand& options) {
  command
      .add_option("FILE", options.file,
                  "Measure this file by itself, without a database: the records whose "
                  "key \"split\" is \"test\", or if there are none every fifth, by the others")
      ->type_name("")
      ->check(not_empty("a file"));

  CLI::Option* const file = add_file_option(
      command, "--jsonl", options.jsonl,
      "Classify the labeled records of this file of JSON, CSV or TSV; -\nis standard input");
  command.add_option("--split", options.split, "Only records whose key \"split\" has this value")
      ->type_name("NAME")
      ->needs(file);

  command
      .add_option("--by", options.by,
                  "Also measure the records apart that have the same value of this key")
      ->type_name("KEY");

  add_map_options(command, options.map);
  command.add_flag("--leave-one-out", options.leave_one_out,
                   "Classify each labeled document of the index by all others");

  add_keys(command, "evaluate", options.request, {"folds"});
  CLI::Option* const folds = command.get_option("--folds")->description(
      "Each labeled document of the index, in N parts, each by the others");
  folds->check(in_range(Shape::Type::kWhole, 2, 1000000000));
}

}  // namespace

void add_evaluate(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand(
      "evaluate", "Measure how well predicted tags agree with the true ones");

  auto options = std::make_shared<EvaluateCommand>();
  add_database_options(command, options->database);
  command.get_option("--db")->required(false);  // not with FILE

  options->database.needs_labels = true;
  add_source_options(command, *options);
  add_keys(command, "evaluate", options->request, {"seed", "confusion", "at"});
  command.get_option("--at")
      ->check(in_range(Shape::Type::kWhole, 1, 1000))
      ->delimiter(',')
      ->type_name("N,...");
  add_key(command, "evaluate", options->request, "per_label", "--labels");
  add_keys(command, "evaluate", options->request,
           {"neighbors", "min_confidence", "vote", "min_similarity", "prototypes"}, kVoteGroup);

  add_file_option(command, "--html", options->html,
                  "Also write a report with figures to this HTML file");
  command.footer(kEvaluateFooter + 1);
  command.callback([options, &action] {
    const bool alone = !options->file.empty();
    const bool given[] = {alone, !options->jsonl.empty(), options->leave_one_out,
                          options->request.contains("folds")};

    std::string& database = options->database.database;

    // FILE has a database of its own; everything else needs one, which may be the usual one.
    if (options->file == "-")
      throw CLI::ValidationError("expected a FILE that can be read again, found standard input");
    if (alone && !database.empty())
      throw CLI::ValidationError("expected FILE without --db, or --jsonl with --db");
    if (!alone && database.empty()) database = usual_database();
    if (!alone && database.empty()) throw CLI::RequiredError("--db");

    if (std::ranges::count(given, true) != 1) {
      throw CLI::ValidationError(
          "expected exactly one of FILE, --jsonl, --leave-one-out and --folds");
    }
    if (!options->by.empty() && !alone && options->jsonl.empty())
      throw CLI::ValidationError("expected --jsonl or FILE with --by");
    if (options->request.contains("seed") && !options->request.contains("folds"))
      throw CLI::ValidationError("expected --folds with --seed");

    action = [options, alone] {
      if (alone) return run_alone(*options);
      return run(*options);
    };
  });
}

}  // namespace kindred::cli
