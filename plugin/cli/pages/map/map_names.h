#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/cli/pages/drawing/letters.h"
#include "plugin/topics/map.h"

namespace kindred::cli {

/// The names of topics on a map.
struct MapNames {
  std::vector<PlacedLine> lines;
  /// Topics whose numbers are drawn instead: their regions are too small for their names, ...
  std::vector<std::uint32_t> numbered;
  /// ... or their names have letters that the drawing lacks.
  std::vector<std::uint32_t> unwritten;
};

/// Places the names of topics. Each lies within the region of its topic, so none is cut off and
/// none meets another. It is made of the topic's first two words, in one line or two, or else of
/// the first, in the largest type that fits, up to a size that grows with the topic's share of the
/// documents, and as near to the middle of the region as it fits. `pixels`: of a lattice unit, in
/// the drawing that the sizes are meant for.
MapNames place_names(const TopicMap& map, double pixels, const Letters& letters);

/// The name of a topic as the map shows it: its first two words.
std::string name_on_map(const Topic& topic);

/// Those of all topics, in their order.
std::vector<std::string> names_on_map(const TopicMap& map);

}  // namespace kindred::cli
