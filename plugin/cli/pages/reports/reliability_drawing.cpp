#include "plugin/cli/pages/reports/figures.h"

#include <algorithm>
#include <cstdint>

#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/report_parts.h"

namespace kindred::cli {
namespace {

// The field of both diagrams, in units of a drawing that is 400 wide.
constexpr double kFieldLeft = 46, kFieldTop = 30, kFieldWidth = 340, kFieldHeight = 260;
constexpr double kFieldBottom = kFieldTop + kFieldHeight;
constexpr double kCountsTop = kFieldBottom + 28, kCountsHeight = 70;

double across(double share) { return kFieldLeft + kFieldWidth * share; }
double upwards(double share) { return kFieldBottom - kFieldHeight * share; }

std::string box_at(const std::string& kind, double x, double y, double width, double height) {
  return "<rect class=\"" + kind + "\" x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) +
         "\" width=\"" + svg_number(width) + "\" height=\"" + svg_number(height) + "\"/>";
}

std::string begin_diagram(double height, const std::string& label) {
  return "<svg viewBox=\"0 0 400 " + svg_number(height) + "\" role=\"img\" aria-label=\"" + label +
         "\">\n";
}

/// The frame of the field, with numbers on its left, and `below` it at y.
std::string field(double ticks, const std::string& below) {
  std::string html = "<path class=\"axis\" d=\"M" + svg_number(kFieldLeft) + " " +
                     svg_number(kFieldTop) + "V" + svg_number(kFieldBottom) + "H" +
                     svg_number(kFieldLeft + kFieldWidth) + "\"/>\n";
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    html += "<path class=\"axis\" d=\"M" + svg_number(kFieldLeft - 4) + " " +
            svg_number(upwards(share)) + "h4\"/>";
    html += svg_text(kFieldLeft - 8, upwards(share) + 4, "end faint", fixed(share, 2));
  }
  for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
    html += svg_text(across(share), ticks, "middle faint", fixed(share, 1));
  return html + svg_text(across(0.5), ticks + 20, "middle", below);
}

std::string bin_drawing(const ReliabilityBin& bin, std::uint64_t most) {
  const double left = across(bin.low) + 1;
  const double width = kFieldWidth * (bin.high - bin.low) - 2;
  const double high = std::max(bin.accuracy, bin.confidence);
  const double low = std::min(bin.accuracy, bin.confidence);
  const double count = kCountsHeight * static_cast<double>(bin.documents) /
                       static_cast<double>(std::max<std::uint64_t>(1, most));
  return "<g><title>confidence " + fixed(bin.low, 1) + " to " + fixed(bin.high, 1) + ": " +
         std::to_string(bin.documents) + " documents, mean confidence " + fixed(bin.confidence, 4) +
         ", " + fixed(bin.accuracy, 4) + " of them right</title>" +
         box_at("bar", left, upwards(low), width, kFieldHeight * low) +
         box_at("gap", left + 0.5, upwards(high), width - 1, kFieldHeight * (high - low)) +
         box_at("reached", left, upwards(bin.accuracy) - 1, width, 2) +
         box_at("bar", left, kCountsTop + kCountsHeight - count, width, count) + "</g>\n";
}

/// How many documents the fullest bin has, above its bar, which is in the lower diagram.
std::string most_documents(const std::array<ReliabilityBin, 10>& bins) {
  const ReliabilityBin& bin =
      *std::max_element(bins.begin(), bins.end(),
                        [](const auto& a, const auto& b) { return a.documents < b.documents; });
  const bool is_left = bin.low < 0.5;
  return svg_text(across(is_left ? bin.low : bin.high), kCountsTop - 4,
                  is_left ? "faint" : "end faint", std::to_string(bin.documents));
}

/// Above the field, at its left.
std::string heading(const std::string& text) {
  return svg_text(kFieldLeft, kFieldTop - 14, "", text);
}

/// A curve over the thresholds.
std::string curve_line(const std::vector<ThresholdPoint>& curve, double ThresholdPoint::*value,
                       const std::string& kind) {
  std::string html = "<polyline class=\"" + kind + "\" points=\"";
  for (const ThresholdPoint& point : curve)
    html += svg_number(across(point.threshold)) + "," + svg_number(upwards(point.*value)) + " ";
  return html + "\"/>\n";
}

/// Without the end where no label is given rightly, and precision says nothing.
std::vector<ThresholdPoint> with_precision(std::vector<ThresholdPoint> curve) {
  while (!curve.empty() && curve.back().recall == 0) curve.pop_back();
  return curve;
}

}  // namespace

std::string reliability_diagram(const std::array<ReliabilityBin, 10>& bins,
                                const EvaluationReport& report) {
  std::uint64_t most = 0;
  for (const ReliabilityBin& bin : bins) most = std::max(most, bin.documents);
  std::string html =
      "<figure>\n" + begin_diagram(kCountsTop + kCountsHeight + 50,
                                   "Reliability diagram; the table of bins has the values");
  html += field(kCountsTop + kCountsHeight + 18, "confidence of the best label");
  for (const ReliabilityBin& bin : bins)
    if (bin.documents > 0) html += bin_drawing(bin, most);
  html += "<path class=\"ideal\" d=\"M" + svg_number(across(0)) + " " + svg_number(upwards(0)) +
          "L" + svg_number(across(1)) + " " + svg_number(upwards(1)) + "\"/>\n";
  html += "<path class=\"axis\" d=\"M" + svg_number(kFieldLeft) + " " +
          svg_number(kCountsTop + kCountsHeight) + "h" + svg_number(kFieldWidth) + "\"/>\n";
  html += most_documents(bins);
  html += heading("ECE " + fixed(report.calibration_error, 4) + " (" +
                  fixed(report.calibration_error_by_chance, 4) + " by chance alone)");
  return html + "</svg>\n<figcaption>Reliability diagram. " + key_html("ink", "line:") +
         " share of documents whose best label is right, " + key_html("two", "gap") +
         " to their mean confidence; below, how many documents there are. On the dashed line, "
         "confidences are "
         "probabilities. ECE is the expected calibration error: the mean gap, weighted by "
         "documents.</figcaption>\n</figure>\n";
}

std::string threshold_diagram(const std::vector<ThresholdPoint>& curve) {
  std::string html =
      "<figure>\n" +
      begin_diagram(kFieldBottom + 50,
                    "Micro precision, recall and F1 over thresholds; the table has the values");
  html += field(kFieldBottom + 18, "threshold");
  html += curve_line(with_precision(curve), &ThresholdPoint::precision, "precision");
  html += curve_line(curve, &ThresholdPoint::recall, "recall");
  html += curve_line(curve, &ThresholdPoint::f1, "f1");
  html += heading("Micro measures");
  const auto best = std::max_element(curve.begin(), curve.end(),
                                     [](const auto& a, const auto& b) { return a.f1 < b.f1; });
  html +=
      "</svg>\n<figcaption>Micro measures if every label with at least this confidence were "
      "given. " +
      key_html("one line", "precision") + "&ensp;" + key_html("two dashed line", "recall") +
      "&ensp;" + key_html("ink dotted line", "F1");
  if (best != curve.end()) {
    html += ", best at a threshold of " + fixed(best->threshold, 2) + ": " + fixed(best->f1, 4);
  }
  return html + "</figcaption>\n</figure>\n";
}

}  // namespace kindred::cli
