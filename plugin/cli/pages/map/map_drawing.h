#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/topics/topic_map.h"

namespace kindred::cli {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

/// What the colors of a map mean: a scale, single colors with their names, or both.
struct ColorKey {
  std::vector<Color> stops;                          ///< of the scale; none = there is no scale
  std::string low;                                   ///< what the low end of the scale means
  std::string high;                                  ///< ... and the high end
  std::vector<std::pair<Color, std::string>> named;  ///< the colors of most units first
};

/// A map ready to be drawn: one color per unit.
struct ColoredMap {
  std::string title;  ///< what the colors show
  std::vector<Color> color;
  ColorKey key;
};

/// Colors units by "heights" (the U-matrix), "documents", "topics", "labels", or the weights of a
/// term or word.
/// @throws Error kNotFound if the map does not have the term.
ColoredMap color_map(const TopicMap& map, const std::string& by);

struct Point {
  double x = 0;
  double y = 0;
};

/// The unit that a point lies in, or -1.
std::int64_t unit_at(const TopicMap& map, Point at);

/// The width and height of the whole map; the first unit's center is at (margin, margin).
inline constexpr double kMapMargin = 0.75;
Point extent_of(const TopicMap& map);

/// The pixels of a lattice unit in a drawing that is about 1000 pixels wide or high, whichever is
/// more.
double drawing_scale(const TopicMap& map);

/// The map as SVG with topic borders, names and a legend.
std::string draw_svg(const TopicMap& map, const ColoredMap& colored);

/// The map as one page that needs no other file. The reader chooses the coloring, and sees what
/// each unit holds.
std::string draw_html(const TopicMap& map);

}  // namespace kindred::cli
