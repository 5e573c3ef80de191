#include "plugin/cli/pages/dendrogram.h"

#include <algorithm>
#include <cstddef>

#include "config/shown.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/text_width.h"
#include "plugin/cli/pages/stroke_font.h"

namespace kindred::cli {
namespace {

// In pixels.
constexpr double kNameSize = 13, kLongestName = 210, kNamesGap = 8;
constexpr double kTreeWidth = 420, kRowHeight = 20, kTreeTop = 10;
constexpr double kTreeMargin = 30, kAxisHeight = 44;
constexpr double kBroadest = 1.15;  // of text_width(): the faces of browsers differ

std::string pixels(double value) { return fixed(value, 1); }

/// The room that a name takes, whatever the face.
double room_of(const std::string& name) { return kBroadest * kNameSize * text_width(name); }

/// A label as the drawing has it, with an ellipsis in place of what is too long.
std::string clipped(const std::string& label) {
  std::string name = shown(label);
  for (auto columns = display_width(name); columns > 1 && room_of(name) > kLongestName; --columns)
    name = cut_to_width(name, columns - 1);
  return name;
}

/// From the left edge to the ends of the branches.
double names_width(const std::vector<std::string>& names) {
  double widest = kTreeMargin;  // half of the first number of the axis
  for (const std::string& name : names) widest = std::max(widest, room_of(name));
  return widest + kNamesGap;
}

/// Where distances lie across the drawing.
class TreeScale {
 public:
  /// From a little below the least distance, or from 0 if they are all the same. `left`: where the
  /// scale begins.
  TreeScale(double least, double most, double left)
      : left_(left),
        low_(most > least ? std::max(0.0, least - 0.1 * (most - least)) : 0),
        span_(most > low_ ? most - low_ : 1) {}

  double across(double distance) const { return left_ + kTreeWidth * (distance - low_) / span_; }
  double at_tick(int quarter) const { return low_ + span_ * quarter / 4; }
  double left() const { return left_; }

 private:
  double left_, low_, span_;
};

/// The end of a branch that is still open.
struct BranchEnd {
  double x, y;
};

std::string tree_path(const std::vector<ClusterMerge>& merges,
                      const std::vector<std::size_t>& order, const TreeScale& scale) {
  std::vector<BranchEnd> ends(order.size() + merges.size());
  for (std::size_t row = 0; row < order.size(); ++row)
    ends[order[row]] = {scale.left(), kTreeTop + kRowHeight * (static_cast<double>(row) + 0.5)};
  std::string path;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const BranchEnd& a = ends[merges[i].first];
    const BranchEnd& b = ends[merges[i].second];
    const double x = std::max({scale.across(merges[i].distance), a.x, b.x});
    path += "M" + pixels(a.x) + " " + pixels(a.y) + "H" + pixels(x) + "V" + pixels(b.y) + "H" +
            pixels(b.x);
    ends[order.size() + i] = {x, (a.y + b.y) / 2};
  }
  return path;
}

std::string ticks(const TreeScale& scale, double bottom, const std::string& axis) {
  std::string svg = "<path class=\"axis\" d=\"M" + pixels(scale.left()) + " " + pixels(bottom) +
                    "h" + pixels(kTreeWidth) + "\"/>\n";
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double value = scale.at_tick(quarter);
    svg += "<text class=\"middle faint\" x=\"" + pixels(scale.across(value)) + "\" y=\"" +
           pixels(bottom + 18) + "\">" + fixed(value, 3) + "</text>\n";
  }
  return svg + "<text class=\"middle\" x=\"" + pixels(scale.left() + kTreeWidth / 2) + "\" y=\"" +
         pixels(bottom + 38) + "\">" + escaped(axis) + "</text>\n";
}

}  // namespace

std::string dendrogram(const std::vector<std::string>& labels,
                       const std::vector<ClusterMerge>& merges,
                       const std::vector<std::size_t>& order, const std::string& axis) {
  std::vector<std::string> names;
  for (const std::string& label : labels) names.push_back(clipped(label));
  const TreeScale scale(merges.front().distance, merges.back().distance, names_width(names));
  const double bottom = kTreeTop + kRowHeight * static_cast<double>(order.size()) + 6;
  const std::string width = pixels(scale.left() + kTreeWidth + kTreeMargin);
  const std::string height = pixels(bottom + kAxisHeight);
  std::string svg =
      "<div class=\"box whole\" tabindex=\"0\" role=\"region\" aria-label=\"Dendrogram\">\n"
      "<svg viewBox=\"0 0 " +
      width + " " + height + "\" width=\"" + width + "\" height=\"" + height +
      "\" role=\"img\" aria-label=\"Dendrogram of labels, by average linkage\">\n";
  for (std::size_t row = 0; row < order.size(); ++row) {
    svg += "<text class=\"end\" x=\"" + pixels(scale.left() - kNamesGap) + "\" y=\"" +
           pixels(kTreeTop + kRowHeight * (static_cast<double>(row) + 0.5) + 4) + "\"><title>" +
           escaped(labels[order[row]]) + "</title>" + escaped(names[order[row]]) + "</text>\n";
  }
  svg += "<path class=\"tree\" d=\"" + tree_path(merges, order, scale) + "\"/>\n";
  return svg + ticks(scale, bottom, axis) + "</svg>\n</div>\n";
}

}  // namespace kindred::cli
