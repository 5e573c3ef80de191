#pragma once

#include <string>
#include <vector>

#include "http/router.h"

namespace search_server {

/// Adds the page at each of its addresses, and its files as /web/NAME. They are built into the
/// program. Their addresses are relative, so a proxy may put a path before all.
void add_pages(Router& router);

/// GET /openapi.json: OpenAPI 3.1, made of routes.txt. All its routes have been added. `values`:
/// names of the fields that searches may filter by. `base_path`: as http.base_path.
/// @throws std::logic_error if a route of the table has not.
void add_openapi_route(Router& router, const std::vector<std::string>& values,
                       const std::string& base_path);

}  // namespace search_server
