#include "page/html/page_context.h"

#include <algorithm>

namespace search_server {

std::string PageContext::parameter(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == query.end() ? "" : found->second;
}

}  // namespace search_server
