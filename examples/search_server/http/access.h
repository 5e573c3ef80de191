#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/router.h"

namespace search_server {

/// Who may write, and from where.
struct AccessSettings {
  std::string token;               ///< "": clients of this machine may write, and no others
  std::vector<std::string> hosts;  ///< names by which the server is known, without port, lower case
};

/// `bytes` random bytes of the system, as hexadecimal digits.
std::string random_hex(std::size_t bytes);

/// Decides what a request may do, by its headers. Safe from many threads.
class Access {
 public:
  explicit Access(AccessSettings settings) : settings_(std::move(settings)) {}

  /// Says whether the request has the cookie of a session, and whether it may write: with the token
  /// or a session; without a token, if it is local.
  /// @throws Problem 421 for a host that is not ours (a page of another site whose name leads
  /// here), 403 for a request that changes something and comes from a page of another site, and 401
  /// or, if there is no token, 403 for a route that writes if the request may not.
  void admit(Request& request, const Route& route) const;

  /// POST /session takes a form with `token`, and sets the cookie; POST /session/end ends the
  /// session. Both answer 204. `base_path`: as http.base_path. The object outlives the router.
  void add_routes(Router& router, const std::string& base_path = "");

 private:
  using Clock = std::chrono::steady_clock;

  bool is_token(std::string_view text) const;
  std::string begin_session(const std::string& token);

  const AccessSettings settings_;
  mutable std::mutex mutex_;
  std::map<std::string, Clock::time_point> sessions_;  ///< and when they end
};

}  // namespace search_server
