#include "plugin/cli/pages/map_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "config/error.h"

namespace kindred::cli {
namespace {

constexpr Color kNothing = {226, 229, 233};

/// From light to dark in steps that look equal, for readers with red-green color blindness as well
/// (YlGnBu of ColorBrewer).
constexpr std::array<Color, 6> kRamp = {Color{255, 255, 217}, {199, 233, 180}, {127, 205, 187},
                                        {65, 182, 196},       {34, 94, 168},   {8, 29, 88}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double part) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * part));
}

Color ramp(double value) {
  const double place = std::clamp(value, 0.0, 1.0) * (kRamp.size() - 1);
  const auto step = std::min(static_cast<std::size_t>(place), kRamp.size() - 2);
  const Color &a = kRamp[step], &b = kRamp[step + 1];
  const double part = place - static_cast<double>(step);
  return {between(a.red, b.red, part), between(a.green, b.green, part),
          between(a.blue, b.blue, part)};
}

/// Different colors for consecutive numbers: hues by the golden angle, in three shades.
Color category(std::size_t number) {
  const double hue = std::fmod(static_cast<double>(number) * 137.508, 360) / 60;
  const double light = std::array{0.72, 0.58, 0.82}[number % 3], chroma = 0.55 * (1 - light) * 2;
  const double second = chroma * (1 - std::abs(std::fmod(hue, 2) - 1));
  static constexpr int kOrder[6][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1},
                                       {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};
  const std::array<double, 3> part = {chroma, second, 0};
  const auto channel = [&](int i) {
    const double value = part[kOrder[static_cast<int>(hue) % 6][i]] + light - chroma / 2;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
  };
  return {channel(0), channel(1), channel(2)};
}

/// Colors on a scale from the smallest value, or 0, to the 99th percentile, so that a single large
/// value does not hide all others. If that scale is empty, it goes to the largest value.
std::vector<Color> by_value(const std::vector<double>& values, bool zero_is_nothing) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double low = zero_is_nothing ? 0 : sorted.front();
  double high = sorted[(sorted.size() - 1) * 99 / 100];
  if (high <= low) high = sorted.back();
  std::vector<Color> colors;
  for (const double value : values) {
    const bool nothing = zero_is_nothing && value == 0;
    colors.push_back(nothing ? kNothing : ramp(high > low ? (value - low) / (high - low) : 0));
  }
  return colors;
}

template <typename Value>
std::vector<double> values_of(const TopicMap& map, Value TopicUnit::*value) {
  std::vector<double> values;
  for (const TopicUnit& unit : map.units) values.push_back(unit.*value);
  return values;
}

std::vector<Color> by_label(const TopicMap& map) {
  std::map<std::string, std::size_t> number;
  for (const TopicUnit& unit : map.units) number.emplace(unit.label, 0);
  number.erase("");
  std::size_t next = 0;
  for (auto& [label, its] : number) its = next++;
  std::vector<Color> colors;
  for (const TopicUnit& unit : map.units)
    colors.push_back(unit.label.empty() ? kNothing : category(number[unit.label]));
  return colors;
}

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

ColoredMap color_map(const TopicMap& map, const std::string& by) {
  if (by == "heights")
    return {"distance to neighbors", by_value(values_of(map, &TopicUnit::height), false)};
  if (by == "documents")
    return {"documents", by_value(values_of(map, &TopicUnit::documents), true)};
  if (by == "labels") return {"labels", by_label(map)};
  if (by == "topics") {
    ColoredMap colored{"topics", {}};
    for (const TopicUnit& unit : map.units) colored.color.push_back(category(unit.topic - 1));
    return colored;
  }
  const auto column = map.column_of(by);
  if (!column)
    throw Error(Errc::kNotFound, "the map has no term '" + by +
                                     "'; expected one, or heights, documents, topics or labels");
  const std::vector<float> plane = map.plane(*column);
  return {by, by_value({plane.begin(), plane.end()}, true)};
}

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
