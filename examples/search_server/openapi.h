#pragma once

#include <string>
#include <vector>

#include "http/router.h"

namespace search_server {

/// Adds GET /openapi.json: the routes that routes.txt lists, with the parameters
/// value.NAME of a search for these values. Added when all others are there.
/// @throws std::logic_error if the router lacks a route of the table.
void add_openapi_route(Router& router, const std::vector<std::string>& values,
                       const std::string& base_path);

}  // namespace search_server
