#pragma once

#include <utility>
#include <vector>

#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/cli/pages/map/map_names.h"

namespace kindred::cli {

/// A box that shows a color, or a scale from its left to its right.
struct ColorBox {
  Point corner, size;  ///< `corner`: the upper left one
  std::vector<Color> stops;
};

/// What stands below a map. Lengths are in lattice units, places those of the lattice.
struct MapLegend {
  Point extent;                   ///< of the whole drawing: the map and its legend
  std::vector<PlacedLine> lines;  ///< of text
  std::vector<ColorBox> boxes;
  std::vector<std::pair<Point, Point>> strokes;  ///< drawn as the borders of topics are
};

/// Says what colors, hexagons, borders and names mean, and which topics the numbers on the map
/// stand for. All of it lies below the map, in lines that are as wide as the map, or as 480 pixels
/// if the map is narrower. `pixels`: of a lattice unit.
MapLegend make_legend(const TopicMap& map, const ColoredMap& colored, const MapNames& names,
                      double pixels);

}  // namespace kindred::cli
