#pragma once

#include "plugin/cli/output/json_output.h"
#include "plugin/topics/map.h"

namespace kindred::cli {

/// What 'topics train' and 'topics show' say of a map as a whole.
Json summary_json(const TopicMap& map);

}  // namespace kindred::cli
