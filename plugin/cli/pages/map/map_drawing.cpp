#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/topics/map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kindred::cli {
namespace {

/// The unit across edge i of corners_of(); nothing at the edge of the map.
std::int64_t across(const TopicMap& map, std::uint32_t unit, std::size_t edge) {
  const std::int64_t rows = map.origin.rows, columns = map.origin.columns;
  std::int64_t row = unit / columns, column = unit % columns;
  if (map.origin.hexagonal) {
    static constexpr int kDown[6] = {1, 1, 0, -1, -1, 0}, kRight[6] = {1, 0, -1, 0, 1, 1};
    const bool aslant = kDown[edge] != 0;
    column += aslant ? kRight[edge] - (row % 2 == 0 ? 1 : 0) : kRight[edge];
    row += kDown[edge];
  } else {
    static constexpr int kDown[4] = {1, 0, -1, 0}, kRight[4] = {0, -1, 0, 1};
    row += kDown[edge];
    column += kRight[edge];
  }
  if (row < 0 || row >= rows || column < 0 || column >= columns) return -1;
  return row * columns + column;
}

}  // namespace

std::vector<Point> corners_of(const TopicMap& map, std::uint32_t unit) {
  const double x = map.units[unit].x, y = map.units[unit].y;
  if (!map.origin.hexagonal)
    return {{x + .5, y + .5}, {x - .5, y + .5}, {x - .5, y - .5}, {x + .5, y - .5}};
  const double half = 0.5 / std::sqrt(3.0);  // of a side
  return {{x + .5, y + half}, {x, y + 2 * half}, {x - .5, y + half},
          {x - .5, y - half}, {x, y - 2 * half}, {x + .5, y - half}};
}

std::vector<std::pair<Point, Point>> topic_borders(const TopicMap& map) {
  std::vector<std::pair<Point, Point>> borders;
  for (std::uint32_t unit = 0; unit < map.units.size(); ++unit) {
    const std::vector<Point> corners = corners_of(map, unit);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const std::int64_t other = across(map, unit, i);
      if (other > unit && map.units[other].topic != map.units[unit].topic)
        borders.emplace_back(corners[i], corners[(i + 1) % corners.size()]);
    }
  }
  return borders;
}

Point middle_of(const TopicMap& map, const Topic& topic) {
  double x = 0, y = 0, units = 0;
  for (const TopicUnit& unit : map.units) {
    if (unit.topic != topic.number) continue;
    x += unit.x;
    y += unit.y;
    units += 1;
  }
  const auto apart = [&](const TopicUnit& unit) {
    return unit.topic == topic.number ? std::hypot(unit.x - x / units, unit.y - y / units)
                                      : std::numeric_limits<double>::infinity();
  };
  const auto nearest =
      std::min_element(map.units.begin(), map.units.end(),
                       [&](const auto& a, const auto& b) { return apart(a) < apart(b); });
  return {nearest->x, nearest->y};
}

std::int64_t unit_at(const TopicMap& map, Point at) {
  constexpr double kHalf = 0.5 + 1e-9;
  const bool hexagonal = map.origin.hexagonal;
  const double up = std::sqrt(3.0) / 2;  // the normals of slanting edges are (1/2, up), (1/2, -up)
  const auto near = static_cast<std::int64_t>(std::lround(hexagonal ? at.y / up : at.y));
  for (std::int64_t row = near - 1; row <= near + 1; ++row) {
    const double shift = hexagonal && row % 2 != 0 ? 0.5 : 0;
    const auto column = static_cast<std::int64_t>(std::lround(at.x - shift));
    if (row < 0 || row >= map.origin.rows || column < 0 || column >= map.origin.columns) continue;
    const std::int64_t unit = row * map.origin.columns + column;
    const double dx = std::abs(at.x - map.units[unit].x), dy = std::abs(at.y - map.units[unit].y);
    if (dx <= kHalf && (hexagonal ? dx / 2 + dy * up : dy) <= kHalf) return unit;
  }
  return -1;
}

double drawing_scale(const TopicMap& map) {
  const Point extent = extent_of(map);
  return std::clamp(std::floor(kDrawingSize / std::max(extent.x, extent.y)), 4.0, 48.0);
}

Point extent_of(const TopicMap& map) {
  Point extent;
  for (const TopicUnit& unit : map.units)
    extent = {std::max(extent.x, unit.x), std::max(extent.y, unit.y)};
  return {extent.x + 2 * kMapMargin, extent.y + 2 * kMapMargin};
}

}  // namespace kindred::cli
