#pragma once

#include <string>

#include "http/router.h"

namespace search_server {

/// Adds the page at each of its addresses, and the files that it needs as /web/NAME. They are built
/// into the program. `base_path`: what a proxy has before all addresses, such as "/kindred", or "".
void add_pages(Router& router, const std::string& base_path);

}  // namespace search_server
