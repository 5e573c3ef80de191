#pragma once

#include "plugin/cli/output/json_output.h"
#include "plugin/topics/map.h"

namespace kindred::cli {

/// The keys that 'topics train' and 'topics show' have for the map as a whole.
Json summary_json(const TopicMap& map);

}  // namespace kindred::cli
