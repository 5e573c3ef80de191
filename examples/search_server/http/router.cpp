#include "http/router.h"

namespace search_server {
namespace {

/// `capture`: what the path has at the braces of the pattern.
bool fits(std::string_view pattern, std::string_view path, std::string& capture) {
  const std::size_t begin = pattern.find('{');
  if (begin == pattern.npos) return path == pattern;
  const std::string_view end = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= begin + end.size() || !path.ends_with(end)) return false;
  const std::string_view segment = path.substr(begin, path.size() - begin - end.size());
  capture = percent_decode(std::string(segment));
  return path.starts_with(pattern.substr(0, begin)) && segment.find('/') == segment.npos;
}

}  // namespace

Router::Match Router::match(std::string_view method, std::string_view raw_path) const {
  Match match;
  for (const Route& route : routes_) {
    std::string capture;
    if (!fits(route.pattern, raw_path, capture)) continue;
    match.allowed += (match.allowed.empty() ? "" : ", ") + route.method;
    if (route.method == "GET") match.allowed += ", HEAD";
    if (route.method != method || match.route != nullptr) continue;
    match.route = &route;
    match.capture = std::move(capture);
  }
  return match;
}

}  // namespace search_server
