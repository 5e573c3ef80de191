#include "plugin/cli/output/evaluation_output.h"

#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/text_width.h"
#include "plugin/evaluate/confusions.h"

namespace kindred::cli {
namespace {

Json to_json(const EvaluationReport& report, double seconds) {
  return {{"documents", report.documents},
          {"labels", report.labels},
          {"micro_precision", report.micro_precision},
          {"micro_recall", report.micro_recall},
          {"micro_f1", report.micro_f1},
          {"macro_f1", report.macro_f1},
          {"accuracy", report.accuracy},
          {"seconds", seconds},
          {"macro_precision", report.macro_precision},
          {"macro_recall", report.macro_recall},
          {"subset_accuracy", report.subset_accuracy},
          {"all_labels", report.all_labels},
          {"hamming_loss", report.hamming_loss},
          {"one_error", report.one_error},
          {"coverage_error", report.coverage_error},
          {"ranking_loss", report.ranking_loss},
          {"ranking_average_precision", report.ranking_average_precision},
          {"calibration_error", report.calibration_error},
          {"calibration_error_by_chance", report.calibration_error_by_chance},
          {"pair_calibration_error", report.pair_calibration_error}};
}

Json to_json(const std::vector<LabelReport>& labels) {
  Json list = Json::array();
  for (const LabelReport& label : labels) {
    list.push_back({{"label", label.label},
                    {"support", label.support},
                    {"predicted", label.predicted},
                    {"right", label.right},
                    {"precision", label.precision},
                    {"recall", label.recall},
                    {"f1", label.f1}});
  }
  return list;
}

Json to_json(const std::optional<ConfusionMatrix>& matrix) {
  if (!matrix) return {};
  Json worst = Json::array();
  for (const Confusion& confusion : worst_confusions(*matrix)) {
    worst.push_back({{"label", confusion.label},
                     {"taken_for", confusion.taken_for ? Json(*confusion.taken_for) : Json()},
                     {"documents", confusion.documents},
                     {"share", confusion.share}});
  }
  return {{"labels", matrix->labels}, {"counts", matrix->counts}, {"worst", std::move(worst)}};
}

void print_measures(const EvaluationReport& report, double seconds) {
  Table table({"measure", "value"});
  table.add_row({"documents", std::to_string(report.documents)});
  table.add_row({"labels", std::to_string(report.labels)});
  table.add_row({"micro precision", fixed(report.micro_precision, 4)});
  table.add_row({"micro recall", fixed(report.micro_recall, 4)});
  table.add_row({"micro F1", fixed(report.micro_f1, 4)});
  table.add_row({"macro precision", fixed(report.macro_precision, 4)});
  table.add_row({"macro recall", fixed(report.macro_recall, 4)});
  table.add_row({"macro F1", fixed(report.macro_f1, 4)});
  table.add_row({"accuracy", fixed(report.accuracy, 4)});
  table.add_row({"subset accuracy", fixed(report.subset_accuracy, 4)});
  table.add_row({"Hamming loss", fixed(report.hamming_loss, 4)});
  table.add_row({"one-error", fixed(report.one_error, 4)});
  table.add_row({"coverage error", fixed(report.coverage_error, 4)});
  table.add_row({"ranking loss", fixed(report.ranking_loss, 4)});
  table.add_row({"ranking average precision", fixed(report.ranking_average_precision, 4)});
  table.add_row({"calibration error", fixed(report.calibration_error, 4)});
  table.add_row({"the same, by chance alone", fixed(report.calibration_error_by_chance, 4)});
  table.add_row({"calibration error of all pairs", fixed(report.pair_calibration_error, 4)});
  table.add_row({"seconds", fixed(seconds, 2)});
  table.print();
}

void print_labels(const std::vector<LabelReport>& labels) {
  Table table({"support", "predicted", "right", "precision", "recall", "F1", "label"});
  for (const LabelReport& label : labels) {
    table.add_row({std::to_string(label.support), std::to_string(label.predicted),
                   std::to_string(label.right), fixed(label.precision, 4), fixed(label.recall, 4),
                   fixed(label.f1, 4), label.label});
  }
  std::cout << '\n';
  table.print();
}

Json to_json(const std::array<ReliabilityBin, 10>& bins) {
  Json list = Json::array();
  for (const ReliabilityBin& bin : bins) {
    list.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"documents", bin.documents},
                    {"confidence", bin.confidence},
                    {"accuracy", bin.accuracy}});
  }
  return list;
}

void print_reliability(const std::array<ReliabilityBin, 10>& bins) {
  Table table({"confidence", "documents", "mean confidence", "accuracy"});
  for (const ReliabilityBin& bin : bins) {
    table.add_row({fixed(bin.low, 1) + " to " + fixed(bin.high, 1), std::to_string(bin.documents),
                   fixed(bin.confidence, 4), fixed(bin.accuracy, 4)});
  }
  std::cout << '\n';
  table.print();
}

constexpr std::size_t kConfusionsListed = 30;  // --json has all
constexpr std::size_t kColumnsOfFile = 100;    // if standard output is no terminal

void print_worst(const std::vector<Confusion>& worst) {
  if (worst.empty()) {
    std::cout << "no confusion: the best label of every document is right\n";
    return;
  }
  Table table({"documents", "share", "true label -> best label"});
  const std::size_t listed = std::min(kConfusionsListed, worst.size());
  for (std::size_t i = 0; i < listed; ++i) {
    table.add_row({std::to_string(worst[i].documents), fixed(100 * worst[i].share, 1) + " %",
                   worst[i].label + " -> " + worst[i].taken_for.value_or("(none)")});
  }
  table.print();
  if (listed < worst.size())
    std::cout << "and " << worst.size() - listed << " more; --json has all\n";
}

/// Prints the matrix if its rows fit into the width of the output.
void print_matrix(const ConfusionMatrix& matrix) {
  constexpr std::size_t kGap = 2, kLeastName = 12;
  std::vector<std::string> headings;
  std::size_t width = kLeastName;
  for (std::size_t column = 0; column <= matrix.labels.size(); ++column) {
    const bool none = column == matrix.labels.size();
    headings.push_back(none ? "none" : std::to_string(column + 1));
    std::size_t widest = headings.back().size();
    for (const auto& row : matrix.counts)
      widest = std::max(widest, std::to_string(row[column]).size());
    width += widest + kGap;
  }
  const std::size_t columns = terminal_width(STDOUT_FILENO);
  if (width > (columns > 0 ? columns : kColumnsOfFile)) return;
  headings.emplace_back("true label");
  Table table(std::move(headings));
  for (std::size_t row = 0; row < matrix.labels.size(); ++row) {
    std::vector<std::string> cells;
    for (const std::uint64_t count : matrix.counts[row])
      cells.push_back(count == 0 ? "." : std::to_string(count));
    cells.push_back(std::to_string(row + 1) + " " + matrix.labels[row]);
    table.add_row(std::move(cells));
  }
  std::cout << "\ndocuments by true label (rows) and best label (columns, by number)\n";
  table.print();
}

void print_confusion(const std::optional<ConfusionMatrix>& matrix) {
  std::cout << '\n';
  if (!matrix) {
    std::cout << "no confusion matrix: some document has more than one label\n";
    return;
  }
  print_worst(worst_confusions(*matrix));
  print_matrix(*matrix);
}

}  // namespace

void print_evaluation(const Evaluation& evaluation, double seconds, const ShownParts& parts,
                      bool json) {
  if (json) {
    Json object = to_json(evaluation.report(), seconds);
    object["reliability"] = to_json(evaluation.reliability());
    object["pair_reliability"] = to_json(evaluation.pair_reliability());
    if (parts.labels) object["per_label"] = to_json(evaluation.label_reports());
    if (parts.confusion) object["confusion"] = to_json(evaluation.confusion());
    print_json(object);
    return;
  }
  print_measures(evaluation.report(), seconds);
  print_reliability(evaluation.reliability());
  if (parts.labels) print_labels(evaluation.label_reports());
  if (parts.confusion) print_confusion(evaluation.confusion());
}

void print_evaluation(const RelatedEvaluation& evaluation, double seconds, bool json) {
  if (json) {
    Json shares = Json::object();
    for (const RelatedShare& by : evaluation.shares) shares[by.weights] = by.share;
    print_json({{"teachers", evaluation.teachers},
                {"asked", evaluation.asked},
                {"k", evaluation.k},
                {"shares", shares},
                {"seconds", seconds}});
    return;
  }
  std::cout << evaluation.asked << " documents asked for the " << evaluation.k
            << " nearest, and weights were learned from " << evaluation.teachers << '\n';
  Table table({"weights", "share a label"});
  for (const RelatedShare& by : evaluation.shares) table.add_row({by.weights, fixed(by.share, 4)});
  table.print();
}

}  // namespace kindred::cli
