#pragma once

#include "http/router.h"

namespace search_server {

/// Adds the page at each of its addresses, and its files as /web/NAME. They are built into the
/// program. Their addresses are relative, so a proxy may put a path before all.
void add_pages(Router& router);

}  // namespace search_server
