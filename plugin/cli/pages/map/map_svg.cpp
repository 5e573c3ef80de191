#include <array>
#include <cstdio>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/cli/pages/map/map_legend.h"
#include "plugin/cli/pages/map/map_names.h"
#include "plugin/topics/map.h"

namespace kindred::cli {
namespace {

constexpr const char* kStyle =
    "<style>text { font-family: Helvetica, Arial, sans-serif; font-weight: 600; text-anchor: "
    "middle; "
    "fill: #111; } .names text { stroke: #fff; stroke-width: .22em; stroke-linejoin: round; "
    "paint-order: stroke; } .legend text { font-weight: 400; } .borders { fill: none; stroke: "
    "#222; "
    "stroke-width: 1.6; stroke-linecap: round; } .boxes rect { stroke: #888; stroke-width: .8; }"
    "</style>\n";

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

/// Writes elements at places of the lattice.
class SvgParts {
 public:
  explicit SvgParts(double pixels) : pixels_(pixels) {}

  std::string unit(const TopicMap& map, std::uint32_t unit, const Color& color) const {
    std::string svg =
        "<path fill=\"" + hex(color) + "\" stroke=\"" + hex(color) + "\" stroke-width=\".6\" d=\"M";
    for (const Point& corner : corners_of(map, unit))
      svg += place(corner.x) + " " + place(corner.y) + " ";
    svg.back() = 'Z';
    return svg + "\"><title>" + escaped(title_of(map, unit)) + "</title></path>\n";
  }

  std::string borders(const std::vector<std::pair<Point, Point>>& strokes) const {
    std::string svg = "<path class=\"borders\" d=\"";
    for (const auto& [a, b] : strokes)
      svg += "M" + place(a.x) + " " + place(a.y) + "L" + place(b.x) + " " + place(b.y);
    return svg + "\"/>\n";
  }

  /// Lengths are given so that text takes the room that it was placed for, in any font.
  std::string text(const std::vector<PlacedLine>& lines, const char* kind) const {
    std::string svg = std::string("<g class=\"") + kind + "\">\n";
    for (const PlacedLine& line : lines) {
      svg += "<text x=\"" + place(line.middle.x) + "\" y=\"" +
             place(line.middle.y + kBaseline * line.size) + "\" font-size=\"" + length(line.size) +
             "\" textLength=\"" + length(line.width) + "\" lengthAdjust=\"spacingAndGlyphs\">" +
             escaped(line.text) + "</text>\n";
    }
    return svg + "</g>\n";
  }

  std::string boxes(const std::vector<ColorBox>& boxes) const {
    std::string svg = "<g class=\"boxes\">\n";
    for (const ColorBox& box : boxes) {
      std::string fill = hex(box.stops.front());
      if (box.stops.size() > 1) {
        fill = "url(#scale)";
        svg += scale(box.stops);
      }
      svg += "<rect x=\"" + place(box.corner.x) + "\" y=\"" + place(box.corner.y) + "\" width=\"" +
             length(box.size.x) + "\" height=\"" + length(box.size.y) + "\" fill=\"" + fill +
             "\"/>\n";
    }
    return svg + "</g>\n";
  }

 private:
  std::string length(double lattice) const { return fixed(lattice * pixels_, 1); }
  std::string place(double lattice) const { return length(lattice + kMapMargin); }
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
  const double pixels = drawing_scale(map);
  const MapNames names = place_names(map, pixels);
  const MapLegend legend = make_legend(map, colored, names, pixels);
  const std::string language = ideograph_language(map);
  const std::string width = fixed(legend.extent.x * pixels, 0);
  const std::string height = fixed(legend.extent.y * pixels, 0);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " +
                    height + "\" width=\"" + width + "\" height=\"" + height + "\"" +
                    (language.empty() ? "" : " lang=\"" + language + "\"") +
                    " role=\"img\">\n<title>Map of " + std::to_string(map.origin.documents) +
                    " documents, colored by " + escaped(colored.title) + "</title>\n" + kStyle +
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  const SvgParts parts(pixels);
  for (std::uint32_t unit = 0; unit < map.units.size(); ++unit)
    svg += parts.unit(map, unit, colored.color[unit]);
  std::vector<std::pair<Point, Point>> strokes = topic_borders(map);
  strokes.insert(strokes.end(), legend.strokes.begin(), legend.strokes.end());
  return svg + parts.borders(strokes) + parts.text(names.lines, "names") +
         parts.boxes(legend.boxes) + parts.text(legend.lines, "legend") + "</svg>\n";
}

}  // namespace kindred::cli
