#include "http/router.h"

#include <utility>

namespace search_server {
namespace {

/// Takes the first segment off a path that begins with "/".
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool fits(std::string_view pattern, std::string_view path, Names& captures) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string segment = percent_decode(std::string(take_segment(path)));
    if (wanted.starts_with('{') && !segment.empty()) {
      captures.emplace(wanted.substr(1, wanted.size() - 2), segment);
    } else if (wanted != segment) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

void Router::add(std::string method, std::string pattern, Handler handler, RouteOptions options) {
  routes_.push_back({std::move(method), std::move(pattern), options, std::move(handler)});
}

Router::Match Router::match(std::string_view method, std::string_view raw_path) const {
  Match match;
  for (const Route& route : routes_) {
    Names captures;
    if (!fits(route.pattern, raw_path, captures)) continue;
    match.allowed += (match.allowed.empty() ? "" : ", ") + route.method;
    if (route.method == "GET") match.allowed += ", HEAD";
    if (route.method != method || match.route != nullptr) continue;
    match.route = &route;
    match.captures = std::move(captures);
  }
  return match;
}

}  // namespace search_server
