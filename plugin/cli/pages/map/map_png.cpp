#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/cli/pages/drawing/canvas.h"
#include "plugin/cli/pages/drawing/drawn_letters.h"
#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/cli/pages/map/map_legend.h"
#include "plugin/cli/pages/map/map_names.h"

namespace kindred::cli {
namespace {

constexpr Color kPaper = {255, 255, 255}, kBorder = {34, 34, 34}, kInk = {17, 17, 17};
constexpr Color kOutline = {136, 136, 136};                // of boxes
constexpr double kBorderWidth = 1.6, kOutlineWidth = 0.8;  // pixels
constexpr double kHaloWidth = 0.115, kBold = 0.015;        // font sizes

void draw_lines(Canvas& canvas, const std::vector<PlacedLine>& lines, const DrawnLetters& letters,
                bool with_halo) {
  for (const PlacedLine& line : lines) {
    if (with_halo) letters.draw(canvas, line, kHaloWidth, kPaper);
    letters.draw(canvas, line, with_halo ? kBold : 0, kInk);
  }
}

void draw_box(Canvas& canvas, const ColorBox& box, double outline) {
  const Point a = box.corner, c = {a.x + box.size.x, a.y + box.size.y};
  canvas.fill(a, c, [&](Point at) { return color_at(box.stops, (at.x - a.x) / box.size.x); });
  for (const auto& [from, to] : {std::pair{a, Point{c.x, a.y}},
                                 {Point{c.x, a.y}, c},
                                 {c, Point{a.x, c.y}},
                                 {Point{a.x, c.y}, a}})
    canvas.line(from, to, outline, kOutline);
}

/// All that a drawing may have to write in other than Latin letters.
std::vector<std::string> texts_of(const TopicMap& map, const ColoredMap& colored) {
  std::vector<std::string> texts = names_on_map(map);
  texts.push_back(colored.title);
  for (const auto& [color, name] : colored.key.named) texts.push_back(name);
  return texts;
}

/// Says which names are missing, and why.
std::string notice_of(const std::vector<std::string>& texts, const Letters& letters) {
  std::vector<std::string> missing;
  for (const std::string& text : std::set(texts.begin(), texts.end()))
    if (!letters.width(text)) missing.push_back(text);
  if (missing.empty()) return "";
  return std::to_string(missing.size()) + (missing.size() == 1 ? " name is" : " names are") +
         " left out: " + missing_letters(missing);
}

}  // namespace

PngDrawing draw_png(const TopicMap& map, const ColoredMap& colored) {
  const std::vector<std::string> texts = texts_of(map, colored);
  const std::unique_ptr<DrawnLetters> letters = letters_for(texts);
  const double pixels = drawing_scale(map);
  const MapNames names = place_names(map, pixels, *letters);
  const MapLegend legend = make_legend(map, colored, names, pixels, *letters);
  Canvas canvas(legend.extent, kMapMargin, pixels, kPaper);
  const Point extent = extent_of(map), corner = {-kMapMargin, -kMapMargin};
  canvas.fill(corner, {corner.x + extent.x, corner.y + extent.y}, [&](Point at) {
    const std::int64_t unit = unit_at(map, at);
    return unit < 0 ? kPaper : colored.color[static_cast<std::size_t>(unit)];
  });
  const double border = kBorderWidth / pixels;
  for (const auto& [a, b] : topic_borders(map)) canvas.line(a, b, border, kBorder);
  draw_lines(canvas, names.lines, *letters, true);
  for (const ColorBox& box : legend.boxes) draw_box(canvas, box, kOutlineWidth / pixels);
  for (const auto& [a, b] : legend.strokes) canvas.line(a, b, border, kBorder);
  draw_lines(canvas, legend.lines, *letters, false);
  return {canvas.png(), notice_of(texts, *letters)};
}

}  // namespace kindred::cli
