#pragma once

#include "api/json.h"

namespace search_server {

/// {"voters", "terms"} of a reason of the plugin, with the titles and similarities of its
/// neighbors. Both are empty for null.
Json reason_json(const Json& reason, const Json& neighbors);

}  // namespace search_server
