#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/map_drawing.h"

namespace kindred::cli {
namespace {

constexpr double kPixels = 16;                  // per unit
constexpr double kLetter = 0.56, kLine = 1.15;  // mean width and height of text, in font sizes

std::string px(double lattice) { return fixed((lattice + kMapMargin) * kPixels, 1); }

std::string hex(const Color& color) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", color.red, color.green, color.blue);
  return text.data();
}

struct Box {
  double left, top, right, bottom;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

std::size_t length(std::string_view text) {  // characters
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The names of topics, the largest topic first. A name that overlaps another is moved up or down,
/// or left out.
std::string draw_names(const TopicMap& map) {
  const Point extent = extent_of(map);
  std::vector<Box> taken;
  std::string svg = "<g class=\"names\">\n";
  for (const Topic& topic : map.topics) {
    const double size =
        std::clamp(8 + 0.6 * std::sqrt(static_cast<double>(topic.documents)), 11.0, 22.0);
    const Point middle = middle_of(map, topic);
    std::string name = topic.name;
    if (topic.terms.size() > 1) name = topic.terms[0].word + ", " + topic.terms[1].word;
    name = shown(name);
    const double width = kLetter * size * static_cast<double>(length(name));
    const double most = extent.x * kPixels - width / 2 - 2;
    const double x =
        std::clamp((middle.x + kMapMargin) * kPixels, std::min(width / 2 + 2, most), most);
    for (const double lines : {0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0}) {
      const double y = (middle.y + kMapMargin) * kPixels + lines * kLine * size;
      const Box box = {x - width / 2, y - size * kLine / 2, x + width / 2, y + size * kLine / 2};
      if (box.top < 0 || box.bottom > extent.y * kPixels) continue;
      if (std::any_of(taken.begin(), taken.end(), [&](const Box& b) { return b.meets(box); }))
        continue;
      taken.push_back(box);
      svg += "<text x=\"" + fixed(x, 1) + "\" y=\"" + fixed(y + size * 0.35, 1) +
             "\" font-size=\"" + fixed(size, 1) + "\">" + escaped(name) + "</text>\n";
      break;
    }
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
  const Point extent = extent_of(map);
  const std::string width = fixed(extent.x * kPixels, 0), height = fixed(extent.y * kPixels, 0);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height +
      "\" width=\"" + width + "\" height=\"" + height + "\" role=\"img\">\n<title>Map of " +
      std::to_string(map.origin.documents) + " documents, colored by " + escaped(colored.title) +
      "</title>\n<style>.names text { font-family: system-ui, sans-serif; font-weight: 600; "
      "text-anchor: middle; fill: #111; stroke: #fff; stroke-width: 3; stroke-linejoin: round; "
      "paint-order: stroke; } .borders { fill: none; stroke: #222; stroke-width: 1.6; "
      "stroke-linecap: round; }</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  for (std::uint32_t unit = 0; unit < map.units.size(); ++unit) {
    svg += "<path fill=\"" + hex(colored.color[unit]) + "\" stroke=\"" + hex(colored.color[unit]) +
           "\" stroke-width=\".4\" d=\"M";
    for (const Point& corner : corners_of(map, unit))
      svg += px(corner.x) + " " + px(corner.y) + " ";
    svg.back() = 'Z';
    svg += "\"><title>" + escaped(title_of(map, unit)) + "</title></path>\n";
  }
  svg += "<path class=\"borders\" d=\"";
  for (const auto& [a, b] : topic_borders(map))
    svg += "M" + px(a.x) + " " + px(a.y) + "L" + px(b.x) + " " + px(b.y);
  return svg + "\"/>\n" + draw_names(map) + "</svg>\n";
}

}  // namespace kindred::cli
