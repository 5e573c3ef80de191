#include "plugin/cli/output/evaluation_output.h"

#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/evaluate/confusions.h"

namespace kindred::cli {
namespace {

void print_summary(const EvaluationReport& report, const std::string& subject) {
  const std::uint64_t of = std::min<std::uint64_t>(report.documents, 100);
  std::cout << "The best tag is right for " << fixed(report.accuracy * static_cast<double>(of), 0)
            << " of " << counted(of, "document") << "; of the tags given "
            << fixed(100 * report.micro_precision, 0) << " % are right, and "
            << fixed(100 * report.micro_recall, 0) << " % of the true ones are found.\n"
            << "Measured: " << shown(subject) << "\n\n";
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

void print_evaluation(const Evaluation& evaluation, const std::string& subject, double seconds,
                      const ShownParts& parts) {
  print_summary(evaluation.report(), subject);
  print_measures(evaluation.report(), seconds);
  print_reliability(evaluation.reliability());
  if (parts.labels) print_labels(evaluation.label_reports());
  if (parts.confusion) print_confusion(evaluation.confusion());
}

std::string method_text(const Json& method) {
  return method["vote"].get<std::string>() + (method["linear"].get<bool>() ? " + linear" : "") +
         ", k " + method["k"].dump();
}

std::string expectation_text(const Json& tuned) {
  const std::string measured = fixed(tuned["tuning"]["scores"]["accuracy"].get<double>(), 2);
  return tuned["drift"] == 0
             ? measured
             : fixed(tuned["expected_accuracy"].get<double>(), 2) + " to " + measured;
}

}  // namespace kindred::cli
