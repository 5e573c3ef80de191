#include <array>
#include <cstdio>
#include <vector>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/map_drawing.h"
#include "plugin/cli/pages/map_names.h"

namespace kindred::cli {
namespace {

constexpr const char* kStyle =
    "<style>text { font-family: Helvetica, Arial, sans-serif; font-weight: 600; text-anchor: "
    "middle; "
    "fill: #111; } .names text { stroke: #fff; stroke-width: .22em; stroke-linejoin: round; "
    "paint-order: stroke; } .key text { font-weight: 400; } .borders { fill: none; stroke: #222; "
    "stroke-width: 1.6; stroke-linecap: round; }</style>\n";

std::string hex(const Color& color) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.red, color.green, color.blue);
  return text.data();
}

/// Lengths are given so that text takes the room that it was placed for, in any font.
std::string draw_lines(const std::vector<PlacedLine>& lines, const char* kind, double pixels) {
  const auto px = [&](double lattice) { return fixed(lattice * pixels, 1); };
  std::string svg = std::string("<g class=\"") + kind + "\">\n";
  for (const PlacedLine& line : lines) {
    svg += "<text x=\"" + px(line.middle.x + kMapMargin) + "\" y=\"" +
           px(line.middle.y + kMapMargin + kBaseline * line.size) + "\" font-size=\"" +
           px(line.size) + "\" textLength=\"" + px(line.width) +
           "\" lengthAdjust=\"spacingAndGlyphs\">" + escaped(line.text) + "</text>\n";
  }
  return svg + "</g>\n";
}

std::string title_of(const TopicMap& map, std::uint32_t unit) {
  const TopicUnit& its = map.units[unit];
  std::string title = map.topics[its.topic - 1].name + ": ";
  for (const std::uint32_t column : its.columns) title += map.words[column] + " ";
  return title + "(" + std::to_string(its.documents) + ")";
}

}  // namespace

std::string draw_svg(const TopicMap& map, const ColoredMap& colored) {
  const double pixels = drawing_scale(map);
  const auto px = [&](double lattice) { return fixed((lattice + kMapMargin) * pixels, 1); };
  const MapNames names = place_names(map, pixels);
  const MapKey key = make_key(map, names, pixels);
  const Point extent = extent_of(map);
  const std::string width = fixed(extent.x * pixels, 0);
  const std::string height = fixed((extent.y + key.height) * pixels, 0);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " +
                    height + "\" width=\"" + width + "\" height=\"" + height +
                    "\" role=\"img\">\n<title>Map of " + std::to_string(map.origin.documents) +
                    " documents, colored by " + escaped(colored.title) + "</title>\n" + kStyle +
                    "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  for (std::uint32_t unit = 0; unit < map.units.size(); ++unit) {
    svg += "<path fill=\"" + hex(colored.color[unit]) + "\" stroke=\"" + hex(colored.color[unit]) +
           "\" stroke-width=\".6\" d=\"M";
    for (const Point& corner : corners_of(map, unit))
      svg += px(corner.x) + " " + px(corner.y) + " ";
    svg.back() = 'Z';
    svg += "\"><title>" + escaped(title_of(map, unit)) + "</title></path>\n";
  }
  svg += "<path class=\"borders\" d=\"";
  for (const auto& [a, b] : topic_borders(map))
    svg += "M" + px(a.x) + " " + px(a.y) + "L" + px(b.x) + " " + px(b.y);
  return svg + "\"/>\n" + draw_lines(names.lines, "names", pixels) +
         draw_lines(key.lines, "key", pixels) + "</svg>\n";
}

}  // namespace kindred::cli
