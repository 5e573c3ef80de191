#pragma once

#include "plugin/cli/json_output.h"
#include "plugin/topic_map.h"

namespace kindred::cli {

/// What 'topics train' and 'topics show' say of a map as a whole.
Json summary_json(const TopicMap& map);

}  // namespace kindred::cli
