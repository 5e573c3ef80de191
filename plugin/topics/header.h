#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/topics/map.h"

namespace kindred {

/// The parts of a map that are text or small. Its file begins with them.
nlohmann::ordered_json topic_header(const TopicMap& map);

/// The parts of a map besides its header.
struct TopicMapArrays {
  std::vector<double> idf;
  std::shared_ptr<const SparseCodebook> codebook;
};

/// The map with this header and these arrays. `stamp`: as TopicMap::stamp.
/// @throws nlohmann::json::exception if the header is not one of topic_header().
TopicMap topic_map_of(const nlohmann::ordered_json& header, TopicMapArrays arrays,
                      std::string stamp);

}  // namespace kindred
