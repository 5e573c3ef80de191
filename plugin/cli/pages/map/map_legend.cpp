#include "plugin/cli/pages/map/map_legend.h"

#include <algorithm>
#include <string>

#include "config/shown.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/topics/map.h"

namespace kindred::cli {
namespace {

// Lengths in pixels.
constexpr double kFont = 12, kRow = 19;       // of the text, and from line to line
constexpr double kEdge = 10;                  // to the left and right
constexpr double kSymbol = 11, kScale = 150;  // the widths of symbols, and of a scale of colors
constexpr double kGap = 5, kBetween = 20;     // after a symbol, and after an entry
constexpr double kNarrow = 480;               // the least width of a legend
constexpr std::size_t kLabels = 24;           // at most

double width_of(const std::string& text) { return kFont * text_width(text); }

/// Fills lines from the left to the right, and from the top down.
class Rows {
 public:
  Rows(double width, double top, double pixels)
      : right_(width - kEdge), y_(top + kRow / 2), pixels_(pixels) {}

  void begin_row() {
    if (x_ > kEdge) y_ += kRow;
    x_ = kEdge;
  }

  /// Adds a symbol of this width, in colors or as a line, and a text, or as much of it as fits into
  /// a line.
  void add(const std::string& text, double symbol = 0, const std::vector<Color>& stops = {},
           const std::vector<Point>& line = {}) {
    const double before = symbol > 0 ? symbol + kGap : 0;
    std::string cut = text;
    for (std::size_t columns = display_width(text); columns > 1;
         cut = cut_to_width(text, --columns))
      if (kEdge + before + width_of(cut) <= right_) break;
    const double width = width_of(cut);
    if (x_ + before + width > right_) begin_row();
    if (!stops.empty())
      legend_.boxes.push_back(
          {place(x_, y_ - kSymbol / 2), {symbol / pixels_, kSymbol / pixels_}, stops});
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      legend_.strokes.emplace_back(place(x_ + line[i].x, y_ + line[i].y),
                                   place(x_ + line[i + 1].x, y_ + line[i + 1].y));
    x_ += before;
    legend_.lines.push_back({cut, place(x_ + width / 2, y_), kFont / pixels_, width / pixels_});
    x_ += width + kBetween;
  }

  /// Its height is that of what has been added.
  MapLegend finish(double width) {
    begin_row();
    legend_.extent = {width / pixels_, y_ / pixels_};
    return std::move(legend_);
  }

 private:
  Point place(double x, double y) const {
    return {x / pixels_ - kMapMargin, y / pixels_ - kMapMargin};
  }

  MapLegend legend_;
  double x_ = kEdge, right_, y_, pixels_;  // of the next symbol: its left, the middle of the line
};

/// The outline of a unit in the size of a symbol.
std::vector<Point> unit_outline(const TopicMap& map) {
  std::vector<Point> line;
  for (const Point& corner : corners_of(map, 0))
    line.push_back(
        {(corner.x - map.units[0].x + 0.5) * kSymbol, (corner.y - map.units[0].y) * kSymbol});
  line.push_back(line.front());
  return line;
}

void add_colors(Rows& rows, const ColoredMap& colored) {
  rows.add("Color: " + colored.title);
  const ColorKey& key = colored.key;
  if (!key.stops.empty()) rows.add(key.low + " to " + key.high, kScale, key.stops);
  const std::size_t written = std::min(kLabels, key.named.size());
  for (std::size_t i = 0; i < written; ++i)
    rows.add(key.named[i].second, kSymbol, {key.named[i].first});
  if (written < key.named.size())
    rows.add("and " + std::to_string(key.named.size() - written) + " more");
}

void add_signs(Rows& rows, const TopicMap& map, const MapNames& names) {
  const double mean =
      static_cast<double>(map.origin.documents) / static_cast<double>(map.units.size());
  rows.add(std::to_string(map.origin.documents) + " documents, " +
           std::to_string(map.units.size()) + " units, " + std::to_string(map.topics.size()) +
           (map.topics.size() == 1 ? " topic" : " topics"));
  rows.add("unit: similar documents, " + fixed(mean, mean < 10 ? 1 : 0) + " on average", kSymbol,
           {}, unit_outline(map));
  if (map.topics.size() > 1) rows.add("border between topics", kSymbol, {}, {{0, 0}, {kSymbol, 0}});
  rows.add("Names: the words most typical of each topic; larger for more documents");
  if (map.origin.toroidal) rows.add("Opposite edges meet");
  if (!names.numbered.empty()) rows.add("Numbers: topics without room for their names");
}

}  // namespace

MapLegend make_legend(const TopicMap& map, const ColoredMap& colored, const MapNames& names,
                      double pixels) {
  const Point extent = extent_of(map);
  const double width = std::max(extent.x * pixels, kNarrow);
  Rows rows(width, extent.y * pixels, pixels);
  add_colors(rows, colored);
  rows.begin_row();
  add_signs(rows, map, names);
  rows.begin_row();
  for (const std::uint32_t number : names.numbered)
    rows.add(std::to_string(number) + " " + name_on_map(map.topics[number - 1]));
  return rows.finish(width);
}

}  // namespace kindred::cli
