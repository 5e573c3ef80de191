#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.h"

namespace search_server {

/// Answers a request in the thread of its connection. May block.
using Handler = std::function<Response(const Request&)>;

/// What a route needs besides its handler.
struct RouteOptions {
  bool writes = false;         ///< needs the token
  std::size_t body_limit = 0;  ///< in bytes; 0: it takes no body
  bool is_vital = false;       ///< answers when there are too many connections, too
};

struct Route {
  std::string method;
  std::string pattern;  ///< "/documents/{id}/related"; braces stand for one segment
  RouteOptions options{};
  Handler handler{};
};

/// Which handler answers a path? Immutable once requests come; then safe from many threads.
class Router {
 public:
  /// Of two routes that fit a path, the one that was added first answers.
  void add(Route route) { routes_.push_back(std::move(route)); }
  void add(std::string method, std::string pattern, Handler handler, RouteOptions options = {}) {
    add({std::move(method), std::move(pattern), options, std::move(handler)});
  }

  struct Match {
    const Route* route = nullptr;  ///< null: no such path, or not by this method
    std::string capture;           ///< decoded
    std::string allowed;  ///< methods of the path, as a header Allow lists them; "": no such path
  };
  /// `raw_path` is not decoded: a "%2F" stays within its segment.
  Match match(std::string_view method, std::string_view raw_path) const;

 private:
  std::deque<Route> routes_;
};

}  // namespace search_server
