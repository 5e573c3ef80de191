#pragma once

#include <string>

#include "http/router.h"

namespace search_server {

struct PageOptions {
  std::string collection;              ///< its name for people; "" for "Kindred"
  std::size_t text_limit = 1'100'000;  ///< of a text that is tried, as a form, in bytes
};

/// Adds the pages and their assets, and the forms that they send. Pages ask the other routes of
/// `router`, which must outlive its handlers.
void add_page_routes(Router& router, const PageOptions& options);

}  // namespace search_server
