#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/cli/pages/map_drawing.h"

namespace kindred::cli {

/// The baseline of a line is so far below its middle, in font sizes.
inline constexpr double kBaseline = 0.36;

/// A line of a name, ready to be drawn. Lengths are in lattice units.
struct PlacedLine {
  std::uint32_t topic = 0;  ///< its number
  std::string text;         ///< as it may be shown
  Point middle;
  double size = 0;   ///< of the font
  double width = 0;  ///< that the text may take
};

/// Which letters a drawing has: all, or those of stroke_text(). A name with others has its number.
enum class Letters { kAll, kStrokes };

/// The names of topics on a map.
struct MapNames {
  std::vector<PlacedLine> lines;
  /// Topics whose regions are too small for their names, or whose letters the drawing lacks. Their
  /// numbers are drawn instead.
  std::vector<std::uint32_t> numbered;
};

/// Places the names of topics. Each lies within the region of its topic, so none is cut off and
/// none meets another. It is made of the topic's first two words, in one line or two, or else of
/// the first, in the largest type that fits, up to a size that grows with the topic's share of the
/// documents, and as near to the middle of the region as it fits. `pixels`: of a lattice unit, in
/// the drawing that the sizes are meant for.
MapNames place_names(const TopicMap& map, double pixels, Letters letters = Letters::kAll);

/// A key for below a map: the numbers that stand for names, with the names, in columns. Names
/// without letters in the drawing are left out.
struct MapKey {
  std::vector<PlacedLine> lines;
  double height = 0;  ///< that it adds to the drawing
};
MapKey make_key(const TopicMap& map, const MapNames& names, double pixels,
                Letters letters = Letters::kAll);

}  // namespace kindred::cli
