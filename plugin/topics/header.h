#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/topics/map.h"

namespace kindred {

/// All of a map that is text or small: what its file begins with.
nlohmann::ordered_json topic_header(const TopicMap& map);

/// What a map has besides its header.
struct TopicMapArrays {
  std::vector<double> idf;
  std::shared_ptr<const SparseCodebook> codebook;
};

/// The map that topic_header() told of. `stamp`: as TopicMap::stamp.
/// @throws nlohmann::json::exception if the header tells something else.
TopicMap topic_map_of(const nlohmann::ordered_json& header, TopicMapArrays arrays,
                      std::string stamp);

}  // namespace kindred
