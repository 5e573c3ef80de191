#include "http/router.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/encoding.h"

namespace search_server {
namespace {

using Captures = std::map<std::string, std::string, std::less<>>;

bool is_capture(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

/// Takes the first segment off a path that begins with "/".
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

/// How well a pattern fits a path: a letter a segment, "a" for a literal one and "b" for a capture,
/// so the least is the best. Nothing if it does not fit.
std::optional<std::string> fit(std::string_view pattern, std::string_view path,
                               Captures& captures) {
  std::string rank;
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view segment = take_segment(path);
    std::optional<std::string> decoded = percent_decode(segment);
    if (!decoded) return std::nullopt;
    if (is_capture(wanted) && !segment.empty()) {
      captures.emplace(wanted.substr(1, wanted.size() - 2), std::move(*decoded));
      rank.push_back('b');
    } else if (wanted == *decoded) {
      rank.push_back('a');
    } else {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return rank;
}

}  // namespace

void Router::add(std::string method, std::string pattern, Handler handler, RouteOptions options) {
  const auto same = [&](const Route& route) {
    return route.method == method && route.pattern == pattern;
  };
  if (pattern.empty() || pattern.front() != '/' ||
      std::any_of(routes_.begin(), routes_.end(), same)) {
    throw std::logic_error("route " + method + " " + pattern +
                           " is there twice or lacks its \"/\"");
  }
  routes_.push_back({std::move(method), std::move(pattern), options, std::move(handler)});
}

Router::Match Router::match(std::string_view method, std::string_view raw_path) const {
  Match best;
  std::optional<std::string> best_rank;
  if (raw_path.empty() || raw_path.front() != '/') return best;
  for (const Route& route : routes_) {
    Captures captures;
    const std::optional<std::string> rank = fit(route.pattern, raw_path, captures);
    if (!rank) continue;
    if (std::find(best.allowed.begin(), best.allowed.end(), route.method) == best.allowed.end()) {
      best.allowed.push_back(route.method);
    }
    if (route.method == method && (!best_rank || *rank < *best_rank)) {
      best_rank = rank;
      best.route = &route;
      best.captures = std::move(captures);
    }
  }
  return best;
}

}  // namespace search_server
