#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "http/router.h"

struct MHD_Daemon;

namespace search_server {

struct HttpSettings {
  std::string address = "127.0.0.1";     ///< to listen at, IPv4 or IPv6
  std::uint16_t port = 8080;             ///< 0: the system chooses one
  std::string base_path;                 ///< what a proxy has before all paths; "" or "/kindred"
  unsigned connections = 256;            ///< more wait until one is closed; each has a thread
  unsigned connections_per_address = 0;  ///< more are closed at once; 0: any number
  std::chrono::seconds idle{20};         ///< how long a client may send and take nothing
  std::chrono::seconds request{30};      ///< how long a request may wait for others that write
};

/// Listens, and answers requests by the handlers of a router until it is stopped. libmicrohttpd
/// gives each connection a thread, which reads, runs the handler, and writes.
class HttpServer {
 public:
  /// Starts to listen. The router has all its routes; it and `access` outlive the server.
  /// @throws std::runtime_error with the address if nothing can listen there.
  HttpServer(const Router& router, const Access& access, const HttpSettings& settings);
  ~HttpServer() { stop(std::chrono::seconds(0)); }

  std::uint16_t port() const;

  /// Serves a connected stream socket, and owns it from now on. False if there are too many.
  bool adopt(int socket);

  /// Accepts no more connections, lets the requests in flight end, at most for `grace`, and then
  /// closes what is left. Returns when no handler runs any more; true if all requests came to their
  /// end. Once.
  bool stop(std::chrono::seconds grace);

 private:
  class Exchange;

  const Router& router_;
  const Access& access_;
  const HttpSettings settings_;
  MHD_Daemon* daemon_ = nullptr;
  std::atomic<bool> draining_{false};      ///< no connection is kept after its answer
  std::atomic<std::size_t> in_flight_{0};  ///< requests whose head has arrived
};

}  // namespace search_server
