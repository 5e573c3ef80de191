#pragma once

#include <kindred/kindred.h>

#include <map>
#include <string_view>

#include "api/json.h"

namespace search_server {

/// {"voters", "terms"} of why a tag was given, with the titles of voters by their ids. Both are
/// empty for null.
Json reason_json(const kindred_reason* reason,
                 const std::map<std::string_view, std::string_view>& titles);

}  // namespace search_server
