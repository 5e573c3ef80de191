#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/request.h"
#include "http/router.h"

namespace search_server {

/// Who may write, and from where.
struct AccessSettings {
  std::string token;               ///< "": clients of this machine may write, and no others
  std::vector<std::string> hosts;  ///< names by which the server is known, without port, lower case
};

/// `bytes` random bytes of the system, as hexadecimal digits. @throws std::system_error
std::string random_hex(std::size_t bytes);

/// Decides what a request may do, by its headers. Safe from many threads.
class Access {
 public:
  explicit Access(AccessSettings settings) : settings_(std::move(settings)) {}

  /// True if the request has the token or the cookie of a session; without a token, if it is local.
  bool may_write(const Request& request) const;

  /// @throws Problem 421 for a host that is not ours (a page of another site whose name leads
  /// here), 403 for a request that changes something and comes from a page of another site, and 401
  /// or, if there is no token, 403 for a route that writes if the request may not.
  void check(const Request& request, const Route& route) const;

  bool is_token(std::string_view token) const;

  /// Begins a session for somebody who knows the token. Returns its cookie's value.
  std::string begin_session();
  void end_session(const Request& request);

 private:
  using Clock = std::chrono::steady_clock;
  struct Session {
    std::string value;
    Clock::time_point end;
  };

  bool has_session(std::string_view value) const;

  const AccessSettings settings_;
  mutable std::mutex mutex_;
  mutable std::deque<Session> sessions_;  ///< the oldest first
};

/// POST /session takes a form with `token` and `next`, sets the cookie and leads back to `next`, a
/// target on this server; with another token to /session?failed=1&next=. POST /session/end ends the
/// session. `access` outlives the router. `base_path`: as http.base_path.
void add_session_routes(Router& router, Access& access, const std::string& base_path = "");

}  // namespace search_server
