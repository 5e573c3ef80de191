#pragma once

#include <string>
#include <vector>

#include "index/schema.h"

namespace search_server {

/// The OpenAPI description of the server (api/openapi.json), with parameters of the search for
/// these values.
std::string description_for(const std::vector<ValueField>& values);

}  // namespace search_server
