#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "http/access.h"
#include "http/metrics.h"
#include "http/router.h"

struct MHD_Connection;

namespace search_server {

/// What all exchanges of a server share. Outlives them.
struct ServerParts {
  const Router& router;
  const Access& access;
  Metrics& metrics;
  std::string base_path;              ///< what a proxy has before all paths; "" or "/kindred"
  std::chrono::seconds idle{20};      ///< how long a client may send and take nothing
  std::chrono::seconds request{30};   ///< until a handler should have answered
  std::atomic<bool> draining{false};  ///< no connection is kept after its answer
};

/// One request and its answer, in the thread of its connection. libmicrohttpd tells of the head, of
/// each piece of the body, and of the end; then the handler runs, and libmicrohttpd sends what it
/// returned.
class Exchange {
 public:
  Exchange(const ServerParts& parts, std::string target) : parts_(parts) {
    request_.target = std::move(target);
  }

  /// As MHD_AccessHandlerCallback. False: libmicrohttpd is to close the connection.
  bool on_call(MHD_Connection* connection, const std::string& method, const char* data,
               std::size_t& size);
  /// The answer was sent, or the client is gone: writes it down.
  void on_end(bool completed) const;

  bool has_begun() const { return begun_; }

 private:
  bool on_head(MHD_Connection* connection, const std::string& method);
  bool on_data(std::string_view piece);
  void read_headers(MHD_Connection* connection);
  void find_route();
  void check_body();
  void handle(MHD_Connection* connection);
  template <typename Work>
  void answer_if_it_throws(Work&& work);
  bool send(MHD_Connection* connection);

  const ServerParts& parts_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Request request_;
  const Route* route_ = nullptr;
  std::optional<Response> answer_;
  std::size_t discarded_ = 0;  ///< bytes of the body that nobody wants
  bool begun_ = false;         ///< the head is there
  bool is_head_ = false;       ///< the method is HEAD; the request says GET
  bool must_close_ = false;    ///< where the next request begins is not certain
};

}  // namespace search_server
