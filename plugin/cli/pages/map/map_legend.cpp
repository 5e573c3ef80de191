#include "plugin/cli/pages/map/map_legend.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/topics/map.h"

namespace kindred::cli {
namespace {

// Lengths in pixels.
constexpr double kFont = 12, kRow = 19;       // of the text, and from line to line
constexpr double kEdge = 10;                  // to the left and right
constexpr double kSymbol = 11, kScale = 150;  // the widths of symbols, and of a scale of colors
constexpr double kGap = 5, kBetween = 20;     // after a symbol, and after an entry
constexpr double kNarrow = 360;               // the least width of a legend
constexpr std::size_t kLabels = 24;           // at most

double width_of(const std::string& text) { return kFont * text_width(text); }

/// Fills lines from the left to the right, and from the top down.
class Rows {
 public:
  Rows(double width, double top, double pixels)
      : right_(width - kEdge), y_(top + kRow / 2), pixels_(pixels) {}

  /// What fits into a line of its own.
  double room() const { return right_ - kEdge; }

  void begin_row() {
    if (x_ > kEdge) y_ += kRow;
    x_ = kEdge;
  }
  /// An entry of this width follows.
  void begin(double width) {
    if (x_ + width > right_) begin_row();
  }
  /// The entry has ended.
  void end() { x_ += kBetween; }
  void go_to(double x) { x_ = x; }

  void box(double width, const std::vector<Color>& stops) {
    const Point size = {width / pixels_, kSymbol / pixels_};
    legend.boxes.push_back({place(x_, y_ - kSymbol / 2), size, stops});
    x_ += width + kGap;
  }
  void stroke(Point a, Point b) {
    legend.strokes.emplace_back(place(x_ + a.x, y_ + a.y), place(x_ + b.x, y_ + b.y));
  }
  void skip(double width) { x_ += width; }

  /// Text that goes on in the next lines if it has to; a word that is too long is cut.
  void write(std::string text) {
    while (!text.empty()) {
      std::size_t end = text.size();
      while (end != std::string::npos && x_ + width_of(text.substr(0, end)) > right_)
        end = end == 0 ? std::string::npos : text.rfind(' ', end - 1);
      if (end == std::string::npos && x_ > kEdge) {
        begin_row();
        continue;
      }
      if (end == std::string::npos) end = std::min(text.find(' '), text.size());
      write_piece(cut(text.substr(0, end)));
      text.erase(0, std::min(end + 1, text.size()));
      if (!text.empty()) begin_row();
    }
  }

  /// As much of a text as fits into a line.
  std::string cut(const std::string& text) const {
    std::string rest = text;
    for (std::size_t columns = display_width(text); width_of(rest) > room() && columns > 1;)
      rest = cut_to_width(text, --columns);
    return rest;
  }

  /// Its height is that of what has been written.
  MapLegend finish(double width) {
    begin_row();
    legend.extent = {width / pixels_, y_ / pixels_};
    return std::move(legend);
  }

  MapLegend legend;

 private:
  Point place(double x, double y) const {
    return {x / pixels_ - kMapMargin, y / pixels_ - kMapMargin};
  }
  void write_piece(const std::string& piece) {
    const double width = width_of(piece);
    legend.lines.push_back({piece, place(x_ + width / 2, y_), kFont / pixels_, width / pixels_});
    x_ += width;
  }

  double x_ = kEdge, right_, y_, pixels_;  // of the next symbol: its left, the middle of the line
};

void write_entry(Rows& rows, const std::string& text) {
  rows.begin(width_of(text));
  rows.write(text);
  rows.end();
}

/// A box of the color, then its name.
void write_color(Rows& rows, const Color& color, const std::string& name) {
  const std::string text = rows.cut(name);
  rows.begin(kSymbol + kGap + width_of(text));
  rows.box(kSymbol, {color});
  rows.write(text);
  rows.end();
}

void write_colors(Rows& rows, const ColoredMap& colored) {
  write_entry(rows, "Color: " + colored.title);
  const ColorKey& key = colored.key;
  if (!key.stops.empty()) {
    const double words = width_of(key.low) + width_of(key.high);
    rows.begin(words + kScale + 2 * kGap);
    rows.write(key.low);
    rows.skip(kGap);
    rows.box(kScale, key.stops);
    rows.write(key.high);
    rows.end();
  }
  const std::size_t written = std::min(kLabels, key.named.size());
  for (std::size_t i = 0; i < written; ++i)
    write_color(rows, key.named[i].first, key.named[i].second);
  if (written < key.named.size())
    write_entry(rows, "and " + std::to_string(key.named.size() - written) + " more");
}

/// What is drawn in the size of a symbol, and what it means.
void write_symbol(Rows& rows, const std::vector<Point>& line, const std::string& text) {
  rows.begin(kSymbol + kGap + width_of(text));
  for (std::size_t i = 0; i + 1 < line.size(); ++i) rows.stroke(line[i], line[i + 1]);
  rows.skip(kSymbol + kGap);
  rows.write(text);
  rows.end();
}

/// The outline of a unit in the size of a symbol.
std::vector<Point> unit_outline(const TopicMap& map) {
  std::vector<Point> line;
  for (const Point& corner : corners_of(map, 0))
    line.push_back(
        {(corner.x - map.units[0].x + 0.5) * kSymbol, (corner.y - map.units[0].y) * kSymbol});
  line.push_back(line.front());
  return line;
}

void write_signs(Rows& rows, const TopicMap& map, const MapNames& names) {
  const double mean =
      static_cast<double>(map.origin.documents) / static_cast<double>(map.units.size());
  write_symbol(rows, unit_outline(map),
               "unit: similar documents, " + fixed(mean, mean < 10 ? 1 : 0) + " on average");
  if (map.topics.size() > 1) write_symbol(rows, {{0, 0}, {kSymbol, 0}}, "border between topics");
  write_entry(rows, "Names: the words most typical of each topic; larger for more documents");
  if (map.origin.toroidal) write_entry(rows, "Opposite edges meet");
  if (!names.numbered.empty()) write_entry(rows, "Numbers: topics without room for their names");
}

/// The numbers on the map, with the names that they stand for, in columns.
void write_numbers(Rows& rows, const TopicMap& map, const MapNames& names) {
  std::vector<std::string> entries;
  double widest = 1;
  for (const std::uint32_t number : names.numbered) {
    const std::string name = name_on_map(map.topics[number - 1]);
    entries.push_back(rows.cut(std::to_string(number) + " " + name));
    widest = std::max(widest, width_of(entries.back()));
  }
  const double step = widest + kBetween;
  const auto columns =
      static_cast<std::size_t>(std::max(1.0, std::floor((rows.room() + kBetween) / step)));
  const std::size_t lines = (entries.size() + columns - 1) / columns;
  for (std::size_t line = 0; line < lines; ++line) {
    rows.begin_row();
    for (std::size_t i = line; i < entries.size(); i += lines) {
      rows.go_to(kEdge + static_cast<double>(i / lines) * step);
      rows.write(entries[i]);
    }
  }
}

}  // namespace

MapLegend make_legend(const TopicMap& map, const ColoredMap& colored, const MapNames& names,
                      double pixels) {
  const Point extent = extent_of(map);
  const double width = std::max(extent.x * pixels, kNarrow);
  Rows rows(width, extent.y * pixels, pixels);
  write_colors(rows, colored);
  rows.begin_row();
  write_entry(rows, std::to_string(map.origin.documents) + " documents, " +
                        std::to_string(map.units.size()) + " units, " +
                        std::to_string(map.topics.size()) +
                        (map.topics.size() == 1 ? " topic" : " topics"));
  write_signs(rows, map, names);
  write_numbers(rows, map, names);
  return rows.finish(width);
}

}  // namespace kindred::cli
