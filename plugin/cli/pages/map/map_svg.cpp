#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/cli/pages/map/map_names.h"
#include "plugin/topics/topic_map.h"

namespace kindred::cli {
namespace {

/// The corners of a unit, 6 or 4, in lattice units. They go clockwise, from the corner where its
/// lower right edge starts.
std::vector<Point> corners_of(const TopicMap& map, std::uint32_t unit) {
  const double x = map.units[unit].x;
  const double y = map.units[unit].y;
  if (!map.origin.hexagonal)
    return {{x + .5, y + .5}, {x - .5, y + .5}, {x - .5, y - .5}, {x + .5, y - .5}};
  const double half = 0.5 / std::sqrt(3.0);  // of a side
  return {{x + .5, y + half}, {x, y + 2 * half}, {x - .5, y + half},
          {x - .5, y - half}, {x, y - 2 * half}, {x + .5, y - half}};
}

/// The lines between units of different topics, each given by its two ends.
std::vector<std::pair<Point, Point>> topic_borders(const TopicMap& map) {
  std::vector<std::pair<Point, Point>> borders;
  for (std::uint32_t unit = 0; unit < map.units.size(); ++unit) {
    const std::vector<Point> corners = corners_of(map, unit);
    const TopicUnit& its = map.units[unit];

    // The unit across an edge lies as far behind it as this one before it. Each edge is drawn for
    // the smaller of its two units.
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Point& a = corners[i];
      const Point& b = corners[(i + 1) % corners.size()];
      const std::int64_t other = unit_at(map, {a.x + b.x - its.x, a.y + b.y - its.y});
      if (other > unit && map.units[other].topic != its.topic) borders.emplace_back(a, b);
    }
  }
  return borders;
}

/// A box that shows a color, or a scale from its left to its right.
struct ColorBox {
  Point corner;  ///< the upper left one
  Point size;
  std::vector<Color> stops;
};

/// What stands below a map. Lengths are in lattice units, coordinates those of the lattice.
struct MapLegend {
  Point extent;                   ///< of the whole drawing: the map and its legend
  std::vector<PlacedLine> lines;  ///< of text
  std::vector<ColorBox> boxes;
  std::vector<std::pair<Point, Point>> strokes;  ///< drawn as the borders of topics are
};

// Lengths in pixels.
constexpr double kFont = 12;         // of the text
constexpr double kRow = 19;          // from line to line
constexpr double kEdge = 10;         // to the left and right
constexpr double kSymbol = 11;       // the width of a symbol
constexpr double kScale = 150;       // the width of a scale of colors
constexpr double kGap = 5;           // after a symbol
constexpr double kBetween = 20;      // after an entry
constexpr double kNarrow = 480;      // the least width of a legend
constexpr std::size_t kLabels = 24;  // at most

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
    // A text that is too long for a line of its own is cut until it fits.
    const double before = symbol > 0 ? symbol + kGap : 0;
    std::string cut = text;
    std::size_t columns = display_width(text);
    while (columns > 1 && kEdge + before + width_of(cut) > right_) {
      --columns;
      cut = cut_to_width(text, columns);
    }

    const double width = width_of(cut);
    if (x_ + before + width > right_) begin_row();

    // The symbol, and the text behind it.
    if (!stops.empty())
      legend_.boxes.push_back(
          {coordinate(x_, y_ - kSymbol / 2), {symbol / pixels_, kSymbol / pixels_}, stops});
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      legend_.strokes.emplace_back(coordinate(x_ + line[i].x, y_ + line[i].y),
                                   coordinate(x_ + line[i + 1].x, y_ + line[i + 1].y));

    x_ += before;
    legend_.lines.push_back(
        {cut, coordinate(x_ + width / 2, y_), kFont / pixels_, width / pixels_});
    x_ += width + kBetween;
  }

  /// Its height is that of what has been added.
  MapLegend finish(double width) {
    begin_row();
    legend_.extent = {width / pixels_, y_ / pixels_};
    return std::move(legend_);
  }

 private:
  Point coordinate(double x, double y) const {
    return {x / pixels_ - kMapMargin, y / pixels_ - kMapMargin};
  }

  MapLegend legend_;
  double x_ = kEdge;  // the left of the next symbol
  double right_;
  double y_;  // the middle of the line
  double pixels_;
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

  // A scale, or a box for each color that has a name.
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
           std::to_string(map.units.size()) + " units, " + counted(map.topics.size(), "topic"));

  rows.add("unit: similar documents, " + fixed(mean, mean < 10 ? 1 : 0) + " on average", kSymbol,
           {}, unit_outline(map));
  if (map.topics.size() > 1) rows.add("border between topics", kSymbol, {}, {{0, 0}, {kSymbol, 0}});

  rows.add("Names: the words most typical of each topic; larger for more documents");
  if (map.origin.toroidal) rows.add("Opposite edges meet");
  if (!names.numbered.empty()) rows.add("Numbers: topics without room for their names");
}

/// Says what colors, hexagons, borders and names mean, and which topics the numbers on the map
/// stand for. All of it lies below the map, in lines that are as wide as the map, or as 480 pixels
/// if the map is narrower. `pixels`: of a lattice unit.
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

constexpr const char* kStyle =
    "<style>text { font-family: Helvetica, Arial, sans-serif; font-weight: 600; "
    "text-anchor: middle; fill: #111; } .names text { stroke: #fff; stroke-width: .22em; "
    "stroke-linejoin: round; paint-order: stroke; } .legend text { font-weight: 400; } "
    ".borders { fill: none; stroke: #222; stroke-width: 1.6; stroke-linecap: round; } "
    ".boxes rect { stroke: #888; stroke-width: .8; }</style>\n";

std::string hex(const Color& color) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.red, color.green, color.blue);
  return text.data();
}

std::string title_of(const TopicMap& map, std::uint32_t unit) {
  const TopicUnit& its = map.units[unit];
  std::string title = map.topics[its.topic - 1].name + ": ";
  for (const std::uint32_t column : its.columns) title += map.words[column] + " ";
  return title + "(" + std::to_string(its.documents) + ")";
}

/// Writes elements at points of the lattice.
class SvgParts {
 public:
  explicit SvgParts(double pixels) : pixels_(pixels) {}

  std::string unit(const TopicMap& map, std::uint32_t unit, const Color& color) const {
    std::string svg =
        "<path fill=\"" + hex(color) + "\" stroke=\"" + hex(color) + "\" stroke-width=\".6\" d=\"M";
    for (const Point& corner : corners_of(map, unit))
      svg += coordinate(corner.x) + " " + coordinate(corner.y) + " ";
    svg.back() = 'Z';
    return svg + "\"><title>" + escaped(title_of(map, unit)) + "</title></path>\n";
  }

  std::string borders(const std::vector<std::pair<Point, Point>>& strokes) const {
    std::string svg = "<path class=\"borders\" d=\"";
    for (const auto& [a, b] : strokes)
      svg += "M" + coordinate(a.x) + " " + coordinate(a.y) + "L" + coordinate(b.x) + " " +
             coordinate(b.y);
    return svg + "\"/>\n";
  }

  /// Lengths are given so that text takes the room that it was placed for, in any font.
  std::string text(const std::vector<PlacedLine>& lines, const char* kind) const {
    std::string svg = std::string("<g class=\"") + kind + "\">\n";
    for (const PlacedLine& line : lines) {
      svg += "<text x=\"" + coordinate(line.middle.x) + "\" y=\"" +
             coordinate(line.middle.y + kBaseline * line.size) + "\" font-size=\"" +
             length(line.size) + "\" textLength=\"" + length(line.width) +
             "\" lengthAdjust=\"spacingAndGlyphs\">" + escaped(line.text) + "</text>\n";
    }
    return svg + "</g>\n";
  }

  std::string boxes(const std::vector<ColorBox>& boxes) const {
    std::string svg = "<g class=\"boxes\">\n";
    for (const ColorBox& box : boxes) {
      std::string fill = hex(box.stops.front());

      // A scale is a gradient of its own, which the box refers to.
      if (box.stops.size() > 1) {
        fill = "url(#scale)";
        svg += scale(box.stops);
      }

      svg += "<rect x=\"" + coordinate(box.corner.x) + "\" y=\"" + coordinate(box.corner.y) +
             "\" width=\"" + length(box.size.x) + "\" height=\"" + length(box.size.y) +
             "\" fill=\"" + fill + "\"/>\n";
    }
    return svg + "</g>\n";
  }

 private:
  std::string length(double lattice) const { return fixed(lattice * pixels_, 1); }
  std::string coordinate(double lattice) const { return length(lattice + kMapMargin); }
  static std::string scale(const std::vector<Color>& stops) {
    std::string svg = "<linearGradient id=\"scale\">";
    for (std::size_t i = 0; i < stops.size(); ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(stops.size() - 1);
      svg += "<stop offset=\"" + fixed(part, 2) + "\" stop-color=\"" + hex(stops[i]) + "\"/>";
    }
    return svg + "</linearGradient>\n";
  }

  double pixels_;
};

}  // namespace

std::string draw_svg(const TopicMap& map, const ColoredMap& colored) {
  // Names are placed first, because the legend says which of them found no room.
  const double pixels = drawing_scale(map);
  const MapNames names = place_names(map, pixels);
  const MapLegend legend = make_legend(map, colored, names, pixels);
  const std::string language = ideograph_language(map);

  const std::string width = fixed(legend.extent.x * pixels, 0);
  const std::string height = fixed(legend.extent.y * pixels, 0);

  std::string lang;
  if (!language.empty()) lang = " lang=\"" + language + "\"";

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " +
                    height + "\" width=\"" + width + "\" height=\"" + height + "\"" + lang +
                    " role=\"img\">\n<title>Map of " + std::to_string(map.origin.documents) +
                    " documents, colored by " + escaped(colored.title) + "</title>\n" + kStyle +
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

  // Units first, then what is drawn over them: borders, names, and the legend.
  const SvgParts parts(pixels);
  for (std::uint32_t unit = 0; unit < map.units.size(); ++unit)
    svg += parts.unit(map, unit, colored.color[unit]);
  std::vector<std::pair<Point, Point>> strokes = topic_borders(map);
  strokes.insert(strokes.end(), legend.strokes.begin(), legend.strokes.end());

  return svg + parts.borders(strokes) + parts.text(names.lines, "names") +
         parts.boxes(legend.boxes) + parts.text(legend.lines, "legend") + "</svg>\n";
}

}  // namespace kindred::cli
