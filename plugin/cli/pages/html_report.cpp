#include "plugin/cli/pages/html_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "evaluation_page.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

std::string cell(const std::string& text) { return "<td>" + text + "</td>"; }
std::string cell(std::uint64_t count) { return cell(std::to_string(count)); }
std::string cell(double value) { return cell(fixed(value, 4)); }

std::string head(const std::string& text, std::string_view scope) {
  return "<th scope=\"" + std::string(scope) + "\">" + escaped(text) + "</th>";
}

/// The beginning of a table, up to its first row. The table scrolls on its own, by keyboard as
/// well.
std::string begin_table(const std::string& caption, const std::vector<std::string>& columns) {
  std::string html = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" + caption +
                     "\">\n<table><caption>" + caption + "</caption>\n<thead><tr>";
  for (const std::string& column : columns) html += head(column, "col");
  return html + "</tr></thead>\n<tbody>\n";
}

constexpr std::string_view kEndTable = "</tbody></table>\n</div>\n";

std::string row(const std::string& name, const std::string& cells) {
  return "<tr>" + head(name, "row") + cells + "</tr>\n";
}

std::string measures(const EvaluationReport& report) {
  std::string html = "<h2>Measures</h2>\n" + begin_table("Measures", {"Measure", "Value"});
  html += row("Documents", cell(report.documents));
  html += row("Labels, true or predicted", cell(report.labels));
  html += row("Labels in all", cell(report.all_labels));
  html += row("Micro precision", cell(report.micro_precision));
  html += row("Micro recall", cell(report.micro_recall));
  html += row("Micro F1", cell(report.micro_f1));
  html += row("Macro precision", cell(report.macro_precision));
  html += row("Macro recall", cell(report.macro_recall));
  html += row("Macro F1", cell(report.macro_f1));
  html += row("Accuracy", cell(report.accuracy));
  html += row("Subset accuracy", cell(report.subset_accuracy));
  html += row("Hamming loss", cell(report.hamming_loss));
  html += row("One-error", cell(report.one_error));
  html += row("Coverage error", cell(report.coverage_error));
  html += row("Ranking loss", cell(report.ranking_loss));
  html += row("Ranking average precision", cell(report.ranking_average_precision));
  html += row("Calibration error", cell(report.calibration_error));
  return html.append(kEndTable);
}

std::string bar(double share) {
  return "<td><svg viewBox=\"0 0 100 12\" width=\"100\" height=\"12\" aria-hidden=\"true\">"
         "<rect class=\"bar\" width=\"" +
         fixed(100 * share, 1) + "\" height=\"12\"/></svg></td>";
}

std::string reliability(const std::array<ReliabilityBin, 10>& bins) {
  std::string html = "<h2>Are confidences probabilities?</h2>\n";
  html += begin_table("Documents by the confidence of their best label",
                      {"Confidence", "Documents", "Mean confidence", "Accuracy", "Accuracy bar"});
  for (const ReliabilityBin& bin : bins) {
    html +=
        row(fixed(bin.low, 1) + " to " + fixed(bin.high, 1),
            cell(bin.documents) + cell(bin.confidence) + cell(bin.accuracy) + bar(bin.accuracy));
  }
  return html.append(kEndTable);
}

/// A curve over the thresholds, in a field of 600 x 200 with its corner at (40, 10).
std::string line(const std::vector<ThresholdPoint>& curve, double ThresholdPoint::*value,
                 const std::string& kind) {
  std::string html = "<polyline class=\"" + kind + "\" points=\"";
  for (const ThresholdPoint& point : curve) {
    html += fixed(40 + 600 * point.threshold, 1) + "," + fixed(210 - 200 * point.*value, 1) + " ";
  }
  return html + "\"/>\n";
}

std::string thresholds(const std::vector<ThresholdPoint>& curve) {
  std::string html =
      "<h2>Precision and recall over thresholds</h2>\n"
      "<svg viewBox=\"0 0 740 250\" width=\"740\" height=\"250\" role=\"img\" "
      "aria-label=\"Micro precision and recall over thresholds; the table has the values\">\n"
      "<path class=\"axis\" d=\"M40 10V210H640\"/>\n"
      "<text x=\"12\" y=\"18\">1</text><text x=\"12\" y=\"212\">0</text>\n"
      "<text x=\"38\" y=\"228\">0</text><text x=\"634\" y=\"228\">1</text>\n"
      "<text x=\"310\" y=\"244\">threshold</text>\n"
      "<path class=\"precision\" d=\"M650 30H675\"/><text x=\"680\" y=\"34\">precision</text>\n"
      "<path class=\"recall\" d=\"M650 50H675\"/><text x=\"680\" y=\"54\">recall</text>\n";
  html += line(curve, &ThresholdPoint::precision, "precision");
  html += line(curve, &ThresholdPoint::recall, "recall");
  html += "</svg>\n<details><summary>The values</summary>\n";
  html += begin_table("Micro measures by threshold, whatever the number of tags",
                      {"Threshold", "Precision", "Recall", "F1"});
  for (const ThresholdPoint& point : curve) {
    html +=
        row(fixed(point.threshold, 2), cell(point.precision) + cell(point.recall) + cell(point.f1));
  }
  return html.append(kEndTable) + "</details>\n";
}

// Every figure is in a table too; colors only repeat the numbers.
constexpr int kHeats = 20;                  // shades of the page, besides no shade
constexpr std::size_t kMostConfused = 200;  // labels; nobody can read a larger matrix

std::string labels(std::vector<LabelReport> reports) {
  std::stable_sort(reports.begin(), reports.end(),
                   [](const auto& a, const auto& b) { return a.support > b.support; });
  std::string html = "<h2>Labels</h2>\n";
  html += begin_table("Labels, the most frequent first", {"Label", "Support", "Predicted", "Right",
                                                          "Precision", "Recall", "F1", "F1 bar"});
  for (const LabelReport& report : reports) {
    html += row(report.label, cell(report.support) + cell(report.predicted) + cell(report.right) +
                                  cell(report.precision) + cell(report.recall) + cell(report.f1) +
                                  bar(report.f1));
  }
  return html.append(kEndTable);
}

std::string confusion(const ConfusionMatrix& matrix) {
  if (matrix.labels.size() > kMostConfused) {
    return "<h2>Confusion matrix</h2>\n<p>Left out: more than " + std::to_string(kMostConfused) +
           " labels.</p>\n";
  }
  std::vector<std::string> columns = {"True \\ best"};
  columns.insert(columns.end(), matrix.labels.begin(), matrix.labels.end());
  columns.emplace_back("(none)");
  std::string html = "<h2>Confusion matrix</h2>\n";
  html += begin_table("Documents by true label (rows) and best label (columns)", columns);
  for (std::size_t i = 0; i < matrix.labels.size(); ++i) {
    std::uint64_t total = 0;
    for (const std::uint64_t count : matrix.counts[i]) total += count;
    std::string cells;
    for (const std::uint64_t count : matrix.counts[i]) {
      const double share = total == 0 ? 0 : static_cast<double>(count) / static_cast<double>(total);
      // A class, since the policy of the page allows no style that depends on data.
      const auto heat = std::lround(kHeats * share);
      cells += "<td class=\"heat" + std::to_string(heat) + "\">" + std::to_string(count) + "</td>";
    }
    html += row(matrix.labels[i], cells);
  }
  return html.append(kEndTable);
}

std::string html_of(const std::string& subject, const Evaluation& evaluation) {
  std::string html(evaluation_page::kHead);
  html += "<p>" + escaped(subject) + "</p>\n";
  html += measures(evaluation.report());
  html += thresholds(evaluation.curve());
  html += reliability(evaluation.reliability());
  html += labels(evaluation.label_reports());
  if (const auto matrix = evaluation.confusion()) html += confusion(*matrix);
  return html.append(evaluation_page::kTail);
}

}  // namespace

void write_html_report(const std::string& path, const std::string& subject,
                       const Evaluation& evaluation) {
  write_output_file(path, html_of(subject, evaluation));
}

}  // namespace kindred::cli
