#pragma once

#include <nlohmann/json.hpp>

#include "plugin/topics/map.h"

namespace kindred {

/// All of a map that is text or small: what its file begins with.
nlohmann::ordered_json topic_header(const TopicMap& map);

/// Fills what topic_header() told. @throws nlohmann::json::exception if it tells something else.
void read_topic_header(const nlohmann::ordered_json& header, TopicMap& map);

}  // namespace kindred
