#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/topics/topic_map.h"

namespace kindred::cli {

/// The baseline of a line is so far below its middle, in font sizes.
inline constexpr double kBaseline = 0.36;

/// A line of a name, ready to be drawn. Lengths are in lattice units.
struct PlacedLine {
  std::string text;  ///< as it may be shown
  Point middle;
  double size = 0;   ///< of the font
  double width = 0;  ///< that the text may take
};

/// The names of topics on a map.
struct MapNames {
  std::vector<PlacedLine> lines;
  /// Topics whose numbers are drawn instead, since their regions are too small for their names.
  std::vector<std::uint32_t> numbered;
};

/// Places the names of topics. Each lies within the region of its topic, so none is cut off and
/// none meets another. It is made of the topic's first two words, in one line or two, or else of
/// the first, in the largest type that fits, up to a size that grows with the topic's share of the
/// documents, and as near to the middle of the region as it fits. `pixels`: of a lattice unit, in
/// the drawing that the sizes are meant for.
MapNames place_names(const TopicMap& map, double pixels);

/// About the width of a text in font sizes. `text`: as shown() gives it. ASCII has the widths of
/// Helvetica Bold, ideographs are squares, and other letters take 0.6.
double text_width(std::string_view text);

/// The name of a topic as the map shows it: its first two words.
std::string name_on_map(const Topic& topic);

/// The language whose shapes ideographs are to have, by the other letters of the names on the map:
/// "ja", "ko" or "zh"; "" = there are none.
std::string ideograph_language(const TopicMap& map);

}  // namespace kindred::cli
