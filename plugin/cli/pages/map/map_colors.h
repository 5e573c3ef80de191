#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/topics/map.h"

namespace kindred::cli {

struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// What the colors of a map mean: a scale, single colors with their names, or both.
struct ColorKey {
  std::vector<Color> stops;                          ///< of the scale; none = there is no scale
  std::string low, high;                             ///< what the ends of the scale mean
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

}  // namespace kindred::cli
