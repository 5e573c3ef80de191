#include "plugin/cli/pages/reports/figures.h"

#include <algorithm>
#include <cstddef>

#include "config/shown.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/pages/reports/report_parts.h"

namespace kindred::cli {
namespace {

// In pixels.
constexpr double kNameSize = 13, kLongestName = 210, kNamesGap = 8;
constexpr double kRowHeight = 20, kTreeTop = 10, kTreeBottom = 6;
constexpr double kTreeWidth = 100;  // in units of its own: it is as wide as there is room
constexpr double kBroadest = 1.15;  // of text_width(): the faces of browsers differ

/// The room that a name takes, whatever the face.
double room_of(const std::string& name) { return kBroadest * kNameSize * text_width(name); }

/// A label as the drawing has it, with an ellipsis in place of what is too long.
std::string clipped(const std::string& label) {
  std::string name = shown(label);
  for (auto columns = display_width(name); columns > 1 && room_of(name) > kLongestName; --columns)
    name = cut_to_width(name, columns - 1);
  return name;
}

double row_middle(std::size_t row) {
  return kTreeTop + kRowHeight * (static_cast<double>(row) + 0.5);
}

/// The names in a column, which end where the branches begin.
std::string names_drawing(const std::vector<std::string>& labels,
                          const std::vector<std::size_t>& order, const std::string& height) {
  double right = 0;
  for (const std::string& label : labels) right = std::max(right, room_of(clipped(label)));
  const std::string width = svg_number(right + kNamesGap);
  std::string svg = "<svg viewBox=\"0 0 " + width + " " + height + "\" width=\"" + width +
                    "\" height=\"" + height + "\" role=\"img\" aria-label=\"Labels\">\n";
  for (std::size_t row = 0; row < order.size(); ++row) {
    const std::string& label = labels[order[row]];
    svg += "<text class=\"end\" x=\"" + svg_number(right) + "\" y=\"" +
           svg_number(row_middle(row) + 4) + "\"><title>" + escaped(label) + "</title>" +
           escaped(clipped(label)) + "</text>\n";
  }
  return svg + "</svg>\n";
}

/// Where distances lie across the drawing.
class TreeScale {
 public:
  /// From a little below the least distance, or from 0 if they are all the same.
  TreeScale(double least, double most)
      : low_(most > least ? std::max(0.0, least - 0.1 * (most - least)) : 0),
        span_(most > low_ ? most - low_ : 1) {}

  double across(double distance) const { return kTreeWidth * (distance - low_) / span_; }
  double at(double share) const { return low_ + span_ * share; }

 private:
  double low_, span_;
};

/// The end of a branch that is still open.
struct BranchEnd {
  double x, y;
};

std::string tree_path(const std::vector<ClusterMerge>& merges,
                      const std::vector<std::size_t>& order, const TreeScale& scale) {
  std::vector<BranchEnd> ends(order.size() + merges.size());
  for (std::size_t row = 0; row < order.size(); ++row) ends[order[row]] = {0, row_middle(row)};
  std::string path;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const BranchEnd& a = ends[merges[i].first];
    const BranchEnd& b = ends[merges[i].second];
    const double x = std::max({scale.across(merges[i].distance), a.x, b.x});
    path += "M" + fixed(a.x, 2) + " " + svg_number(a.y) + "H" + fixed(x, 2) + "V" +
            svg_number(b.y) + "H" + fixed(b.x, 2);
    ends[order.size() + i] = {x, (a.y + b.y) / 2};
  }
  return path;
}

/// Below the tree: the distances at its ends and in the middle.
std::string scale_html(const TreeScale& scale, const std::string& axis) {
  std::string html = "<p class=\"scale soft\">";
  for (const double share : {0.0, 0.5, 1.0})
    html += "<span>" + fixed(scale.at(share), 3) + "</span>";
  return html + "</p>\n<p class=\"soft\">" + escaped(axis) + "</p>\n";
}

}  // namespace

std::string dendrogram(const std::vector<std::string>& labels,
                       const std::vector<ClusterMerge>& merges,
                       const std::vector<std::size_t>& order, const std::string& axis) {
  const TreeScale scale(merges.front().distance, merges.back().distance);
  const std::string height =
      svg_number(kTreeTop + kRowHeight * static_cast<double>(order.size()) + kTreeBottom);
  return "<div class=\"dendrogram\">\n" + names_drawing(labels, order, height) +
         "<div>\n<svg class=\"wide\" viewBox=\"0 0 " + svg_number(kTreeWidth) + " " + height +
         "\" preserveAspectRatio=\"none\" height=\"" + height +
         "\" role=\"img\" aria-label=\"Dendrogram of labels, by average linkage\">\n"
         "<path class=\"tree\" d=\"" +
         tree_path(merges, order, scale) + "\"/>\n</svg>\n" + scale_html(scale, axis) +
         "</div>\n</div>\n";
}

}  // namespace kindred::cli
