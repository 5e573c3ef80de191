#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "page/map/topic_map.h"

namespace search_server {

/// A name on the map, centered on a point. Lengths are distances of neighboring units.
struct MapName {
  std::uint64_t topic = 0;
  std::string text;
  double x = 0, y = 0;
  double size = 0;  ///< of the font
};

/// Places names of topics, those with the most documents first: each on a unit of its topic, near
/// the middle of them, where it meets no other name. Its first two words, or the first; nothing
/// where neither fits. `topics`: of GET /map. `pixels`: of a distance, in the drawing that the
/// sizes are meant for. `largest`: font size of the largest topic in such pixels, at least 11.
std::vector<MapName> place_names(const TopicMap& map, const Json& topics, double pixels,
                                 double largest);

/// About how wide a text is, in font sizes: wide letters of East Asia are squares.
double text_width(std::string_view text);

}  // namespace search_server
