#pragma once

#include <string>

#include "api/json.h"
#include "api/reading/members.h"

namespace search_server {

/// One example as the plugin takes it, of members "id", "text" and "record". `whole`: names the
/// object in messages. @throws Problem 400 unless there is exactly one of them.
Json read_example(MemberReader& members, const std::string& whole);

}  // namespace search_server
