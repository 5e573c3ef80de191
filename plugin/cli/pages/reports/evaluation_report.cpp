#include "plugin/cli/pages/reports/reports.h"

#include <algorithm>
#include <vector>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/figures.h"
#include "plugin/cli/pages/reports/report_parts.h"
#include "report_page.h"

namespace kindred::cli {
namespace {

// Every figure is in a table too; drawings and colors only repeat the numbers.

std::string headline(const EvaluationReport& report) {
  return tiles({{"Documents", std::to_string(report.documents)},
                {"Accuracy", fixed(report.accuracy, 4)},
                {"Micro F1", fixed(report.micro_f1, 4)},
                {"Macro F1", fixed(report.macro_f1, 4)},
                {"Calibration error", fixed(report.calibration_error, 4)}});
}

std::string measures(const EvaluationReport& report) {
  std::string html = "<h2>Measures</h2>\n" + begin_table("All measures", {{"Measure"}, {"Value"}});
  html += row_html("Documents", cell_html(report.documents));
  html += row_html("Labels, true or predicted", cell_html(report.labels));
  html += row_html("Labels in all", cell_html(report.all_labels));
  html += row_html("Micro precision", cell_html(report.micro_precision));
  html += row_html("Micro recall", cell_html(report.micro_recall));
  html += row_html("Micro F1", cell_html(report.micro_f1));
  html += row_html("Macro precision", cell_html(report.macro_precision));
  html += row_html("Macro recall", cell_html(report.macro_recall));
  html += row_html("Macro F1", cell_html(report.macro_f1));
  html += row_html("Accuracy", cell_html(report.accuracy));
  html += row_html("Subset accuracy", cell_html(report.subset_accuracy));
  html += row_html("Hamming loss", cell_html(report.hamming_loss));
  html += row_html("One-error", cell_html(report.one_error));
  html += row_html("Coverage error", cell_html(report.coverage_error));
  html += row_html("Ranking loss", cell_html(report.ranking_loss));
  html += row_html("Ranking average precision", cell_html(report.ranking_average_precision));
  html += row_html("Calibration error", cell_html(report.calibration_error));
  html += row_html("The same, by chance alone", cell_html(report.calibration_error_by_chance));
  html += row_html("Calibration error of all pairs", cell_html(report.pair_calibration_error));
  return html.append(kEndTable);
}

std::string bins_table(const std::array<ReliabilityBin, 10>& bins) {
  std::string html = begin_table(
      "Documents by the confidence of their best label",
      {{"Confidence"}, {"Documents"}, {"Mean confidence"}, {"Accuracy"}, {"Accuracy bar", true}});
  for (const ReliabilityBin& bin : bins) {
    html += row_html(fixed(bin.low, 1) + " to " + fixed(bin.high, 1),
                     cell_html(bin.documents) + cell_html(bin.confidence) +
                         cell_html(bin.accuracy) + bar_cell_html(bin.accuracy));
  }
  return html.append(kEndTable);
}

std::string thresholds_table(const std::vector<ThresholdPoint>& curve) {
  std::string html = begin_table("Micro measures by threshold, whatever the number of tags",
                                 {{"Threshold"}, {"Precision"}, {"Recall"}, {"F1"}});
  for (const ThresholdPoint& point : curve) {
    html += row_html(fixed(point.threshold, 2),
                     cell_html(point.precision) + cell_html(point.recall) + cell_html(point.f1));
  }
  return html.append(kEndTable);
}

std::string confidences(const Evaluation& evaluation) {
  const auto curve = evaluation.curve();
  return "<h2>Confidences</h2>\n<div class=\"figures\">\n" +
         reliability_diagram(evaluation.reliability(), evaluation.report()) +
         threshold_diagram(curve) +
         "</div>\n<details><summary>The values of the diagrams</summary>\n" +
         bins_table(evaluation.reliability()) + thresholds_table(curve) + "</details>\n";
}

std::string labels_table(std::vector<LabelReport> reports) {
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& a, const auto& b) { return a.support > b.support; });
  std::string html = "<h2>Labels</h2>\n";
  html += begin_table("Labels, the most frequent first", {{"Label"},
                                                          {"Support"},
                                                          {"F1"},
                                                          {"F1 bar", true},
                                                          {"Precision"},
                                                          {"Recall"},
                                                          {"Predicted"},
                                                          {"Right"}});
  for (const LabelReport& report : reports) {
    html += row_html(report.label, cell_html(report.support) + cell_html(report.f1) +
                                       bar_cell_html(report.f1) + cell_html(report.precision) +
                                       cell_html(report.recall) + cell_html(report.predicted) +
                                       cell_html(report.right));
  }
  return html.append(kEndTable);
}

}  // namespace

void write_evaluation_report(const std::string& path, const std::string& subject,
                             const Evaluation& evaluation) {
  std::string html(report_page::kHead);
  html += begin_report("Kindred evaluation", subject);
  html += headline(evaluation.report());
  if (const auto matrix = evaluation.confusion()) html += confusion_tables(*matrix);
  html += confidences(evaluation);
  html += labels_table(evaluation.label_reports());
  html += measures(evaluation.report());
  write_output_file(path, html.append(report_page::kTail));
}

}  // namespace kindred::cli
