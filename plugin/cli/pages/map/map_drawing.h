#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/cli/pages/map/map_colors.h"
#include "plugin/topics/map.h"

namespace kindred::cli {

struct Point {
  double x = 0, y = 0;
};

/// The corners of a unit, 6 or 4, in lattice units. They go clockwise, from the corner where its
/// lower right edge starts.
std::vector<Point> corners_of(const TopicMap& map, std::uint32_t unit);

/// The lines between units of different topics, each given by its two ends.
std::vector<std::pair<Point, Point>> topic_borders(const TopicMap& map);

/// The unit that a point lies in, or -1.
std::int64_t unit_at(const TopicMap& map, Point at);

/// The middle of a topic: the center of its unit nearest to the mean of all their centers.
Point middle_of(const TopicMap& map, const Topic& topic);

/// The width and height of the whole map; the first unit's center is at (margin, margin).
inline constexpr double kMapMargin = 0.75;
Point extent_of(const TopicMap& map);

/// Drawings are about as wide or high as this, whichever is more, in pixels.
inline constexpr double kDrawingSize = 1000;

/// The pixels of a lattice unit in a drawing of kDrawingSize.
double drawing_scale(const TopicMap& map);

/// The map as SVG with topic borders, names and a legend.
std::string draw_svg(const TopicMap& map, const ColoredMap& colored);

/// The map as one page that needs no other file. The reader chooses the coloring, and sees what
/// each unit holds.
std::string draw_html(const TopicMap& map);

}  // namespace kindred::cli
