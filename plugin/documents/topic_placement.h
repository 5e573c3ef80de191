#pragma once

#include <cstdint>

namespace kindred {

/// Where a document lies on the map. If none of its terms is on the map, it has no place: topic is
/// 0, novelty is 1, and unit and distance mean nothing.
struct TopicPlacement {
  std::uint32_t unit = 0;
  std::uint32_t topic = 0;  ///< from 1, or 0
  double distance = 0;      ///< to the unit, over all terms, in [0, about 1.4]
  /// Share of the map's own documents that are nearer, by angle, to their units than this one is to
  /// its unit, in [0, 1]. 1 if it shares no term with its unit.
  double novelty = 0;
  std::uint64_t revision = 0;  ///< of the index that the map was made of
};

}  // namespace kindred
