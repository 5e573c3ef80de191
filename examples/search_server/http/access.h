#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/router.h"

namespace search_server {

/// Who may write, and from where.
struct AccessSettings {
  std::string token;               ///< "": clients of this machine may write, and no others
  std::vector<std::string> hosts;  ///< names by which the server is known, without port
  bool is_local = true;            ///< it listens for this machine alone
};

/// May a request have what it asks? Decided by its headers. Safe from many threads.
class Access {
 public:
  explicit Access(AccessSettings settings);

  /// Says whether the request has the cookie of a session, and whether it may write: with the token
  /// or a session; without a token, if it is local.
  /// @throws Problem 421 for a host that is not ours (a page of another site whose name leads
  /// here) unless the server has a token and listens for other machines without knowing its names,
  /// 403 for a request that changes something and comes from a page of another site, and 401
  /// or, if there is no token, 403 for a route that writes if the request may not.
  void admit(Request& request, const Route& route) const;

  /// POST /session takes a form with `token`, and sets the cookie; POST /session/end ends the
  /// session. Both answer 204. `base_path`: as http.base_path. The object outlives the router.
  void add_routes(Router& router, const std::string& base_path = "");

 private:
  using Clock = std::chrono::steady_clock;

  bool is_token(std::string_view text) const;

  const AccessSettings settings_;
  mutable std::mutex mutex_;
  std::map<std::string, Clock::time_point> sessions_;  ///< and when they end
};

}  // namespace search_server
