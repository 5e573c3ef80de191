#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "page/html/html.h"
#include "page/html/page_context.h"

namespace search_server {

/// A unit of a topic map; lengths are distances of neighboring units.
struct MapUnit {
  std::uint64_t number = 0;
  double x = 0, y = 0;
  std::uint64_t topic = 0;  ///< 0: none
  std::uint64_t documents = 0;
};

/// A topic map as it is drawn.
struct TopicMap {
  bool hexagonal = true;
  std::uint64_t columns = 1;
  std::vector<MapUnit> units;
  double width = 0, height = 0;             ///< with a margin around the units
  std::map<std::uint64_t, unsigned> color;  ///< of each topic; neighbors differ
};

inline constexpr double kMapMargin = 0.8;
inline constexpr unsigned kMapColors = 10;
/// Beyond this many units there is no drawing.
inline constexpr std::size_t kMostUnits = 6400;

/// `answer`: of GET /map.
TopicMap read_map(const Json& answer);

/// The map as a drawing: a link for each topic, which holds its units, and names that do not
/// overlap. `chosen`: a topic that stands out, or 0. `counts`: documents of each topic that match
/// what is searched; topics without any are faint. Empty: all stand out.
Html draw_map(const TopicMap& map, const Json& topics, std::uint64_t chosen,
              const std::map<std::uint64_t, std::uint64_t>& counts, const PageContext& context);

}  // namespace search_server
