#include "plugin/cli/pages/map/map_drawing.h"
#include "config/error.h"
#include "config/shown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace kindred::cli {
namespace {

constexpr Color kNothing = {226, 229, 233};

/// From light to dark in steps that look equal, for readers with red-green color blindness as well
/// (YlGnBu of ColorBrewer).
const std::vector<Color> kRamp = {{255, 255, 217}, {199, 233, 180}, {127, 205, 187},
                                  {65, 182, 196},  {34, 94, 168},   {8, 29, 88}};

std::uint8_t between(std::uint8_t a, std::uint8_t b, double part) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * part));
}

/// The color at `part`, in [0, 1], of a scale whose stops are equally far from each other.
Color color_at(const std::vector<Color>& stops, double part) {
  const double position = std::clamp(part, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto step = std::min(static_cast<std::size_t>(position), stops.size() - 1);

  const Color& a = stops[step];
  const Color& b = stops[std::min(step + 1, stops.size() - 1)];
  const double rest = position - static_cast<double>(step);
  return {between(a.red, b.red, rest), between(a.green, b.green, rest),
          between(a.blue, b.blue, rest)};
}

/// Different colors for consecutive numbers: hues by the golden angle, in three shades.
Color category(std::size_t number) {
  // From hue, lightness and chroma (HSL) to red, green and blue: the hue says which of them has the
  // chroma, and which the second part.
  const double hue = std::fmod(static_cast<double>(number) * 137.508, 360) / 60;
  const double light = std::array{0.72, 0.58, 0.82}[number % 3];
  const double chroma = 0.55 * (1 - light) * 2;
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

/// With two digits, or all of those before the point.
std::string two_digits(double value) {
  if (value == std::round(value) || value >= 10) return fixed(value, 0);
  return fixed(value, 1 - static_cast<int>(std::floor(std::log10(value))));
}

/// Colors on a scale from the smallest value, or 0, to the 99th percentile, so that a single large
/// value does not hide all others. If that scale is empty, it goes to the largest value.
/// `nothing`: what a value of 0 means, if it gets a color of its own.
ColoredMap by_value(std::string title, const std::vector<double>& values,
                    const std::string& nothing = "") {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double low = nothing.empty() ? sorted.front() : 0;
  double high = sorted[(sorted.size() - 1) * 99 / 100];
  if (high <= low) high = sorted.back();

  ColoredMap colored{std::move(title), {}, {}};
  if (high > low) {
    colored.key = {kRamp, two_digits(low), two_digits(high), {}};
    if (sorted.back() > high) colored.key.high += " and more";
  }

  for (const double value : values) {
    const bool is_nothing = !nothing.empty() && value == 0;
    const double part = high > low ? (value - low) / (high - low) : 0;
    colored.color.push_back(is_nothing ? kNothing : color_at(kRamp, part));
  }

  if (!nothing.empty() && sorted.front() == 0) colored.key.named = {{kNothing, nothing}};
  return colored;
}

template <typename Value>
std::vector<double> values_of(const TopicMap& map, Value TopicUnit::*value) {
  std::vector<double> values;
  for (const TopicUnit& unit : map.units) values.push_back(unit.*value);
  return values;
}

/// Colors go to labels in their order, so that a label of few units does not change those of
/// others.
ColoredMap by_label(const TopicMap& map) {
  std::map<std::string, std::size_t> units;
  for (const TopicUnit& unit : map.units) units[unit.label] += 1;
  std::map<std::string, Color> color = {{"", kNothing}};

  // In the order of their names, which stays while the numbers of units change.
  std::vector<std::string> labels;  // those of most units first
  for (const auto& [label, its] : units) {
    if (label.empty()) continue;
    color.emplace(label, category(labels.size()));
    labels.push_back(label);
  }

  const auto units_of = [&](const std::string& label) {
    return units[label];
  };
  std::ranges::stable_sort(labels, std::greater(), units_of);

  // The key begins with the labels that color most of the map.
  ColoredMap colored{"label of most documents", {}, {}};
  for (const TopicUnit& unit : map.units) colored.color.push_back(color[unit.label]);
  if (units.count("") > 0) colored.key.named.emplace_back(kNothing, "no label");
  for (const std::string& label : labels)
    colored.key.named.emplace_back(color[label], shown(label));
  return colored;
}

}  // namespace

ColoredMap color_map(const TopicMap& map, const std::string& by) {
  if (by == "heights")
    return by_value("distance of each unit to its neighbors", values_of(map, &TopicUnit::height));
  if (by == "documents")
    return by_value("documents", values_of(map, &TopicUnit::documents), "no documents");
  if (by == "labels") return by_label(map);
  if (by == "topics") {
    ColoredMap colored{"topics", {}, {}};
    for (const TopicUnit& unit : map.units) colored.color.push_back(category(unit.topic - 1));
    return colored;
  }

  // Else it is a word, and the map is colored by its weights.
  const auto column = map.column_of(by);
  if (!column)
    throw Error(Errc::kNotFound, "the map has no term '" + by +
                                     "'; expected one, or heights, documents, topics or labels");

  const std::vector<float> plane = map.plane(*column);
  return by_value("weight of '" + shown(by) + "'", {plane.begin(), plane.end()}, "without it");
}

std::int64_t unit_at(const TopicMap& map, Point at) {
  // Only cells that are a row away at most can hold the point, since rows lie closer than a cell is
  // high.
  constexpr double kHalf = 0.5 + 1e-9;
  const bool hexagonal = map.origin.hexagonal;
  const double up = std::sqrt(3.0) / 2;  // the normals of slanting edges are (1/2, up), (1/2, -up)
  const auto near = static_cast<std::int64_t>(std::lround(hexagonal ? at.y / up : at.y));

  for (std::int64_t row = near - 1; row <= near + 1; ++row) {
    const double shift = hexagonal && row % 2 != 0 ? 0.5 : 0;
    const auto column = static_cast<std::int64_t>(std::lround(at.x - shift));
    if (row < 0 || row >= map.origin.rows || column < 0 || column >= map.origin.columns) continue;
    const std::int64_t unit = row * map.origin.columns + column;

    // A hexagon is where three strips cross: between its upright edges, and between each pair of
    // slanting ones.
    const double dx = std::abs(at.x - map.units[unit].x);
    const double dy = std::abs(at.y - map.units[unit].y);
    const double across = hexagonal ? dx / 2 + dy * up : dy;
    if (dx <= kHalf && across <= kHalf) return unit;
  }
  return -1;
}

double drawing_scale(const TopicMap& map) {
  const Point extent = extent_of(map);
  return std::clamp(std::floor(1000 / std::max(extent.x, extent.y)), 4.0, 48.0);
}

Point extent_of(const TopicMap& map) {
  Point extent;
  for (const TopicUnit& unit : map.units)
    extent = {std::max(extent.x, unit.x), std::max(extent.y, unit.y)};
  return {extent.x + 2 * kMapMargin, extent.y + 2 * kMapMargin};
}

}  // namespace kindred::cli
