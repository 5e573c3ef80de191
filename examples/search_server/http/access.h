#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
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
  void identify(Request& request) const;

  /// @throws Problem 421 for a host that is not ours (a page of another site whose name leads
  /// here), 403 for a request that changes something and comes from a page of another site, and 401
  /// or, if there is no token, 403 for a route that writes if the request may not.
  void check(const Request& request, const Route& route) const;

  /// Begins a session. Returns its cookie's value. @throws Problem 401 if that is not the token.
  std::string begin_session(const std::string& token);
  void end_session(const Request& request);

 private:
  using Clock = std::chrono::steady_clock;

  bool is_token(std::string_view text) const;

  const AccessSettings settings_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Clock::time_point> sessions_;  ///< and when they end
};

/// POST /session takes a form with `token`, and sets the cookie; POST /session/end ends the
/// session. Both answer 204. `access` outlives the router. `base_path`: as http.base_path.
void add_session_routes(Router& router, Access& access, const std::string& base_path = "");

}  // namespace search_server
