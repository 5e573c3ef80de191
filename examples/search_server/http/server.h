#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "http/exchange.h"

struct MHD_Daemon;

namespace search_server {

struct HttpSettings {
  std::string address = "127.0.0.1";        ///< to listen at, IPv4 or IPv6
  std::uint16_t port = 8080;                ///< 0: the system chooses one
  std::string base_path;                    ///< what a proxy has before all paths; "" or "/kindred"
  std::size_t connections = 256;            ///< more wait until one is closed; each has a thread
  std::size_t connections_per_address = 0;  ///< more are closed at once; 0: any number
  std::chrono::seconds idle{20};            ///< how long a client may send and take nothing
  std::chrono::seconds request{30};         ///< until a handler should have answered
};

/// Listens, and answers requests by the handlers of a router until it is stopped. libmicrohttpd
/// gives each connection a thread, which reads, runs the handler, and writes.
class HttpServer {
 public:
  /// Starts to listen. The router has all its routes; it, `access` and `metrics` outlive the
  /// server.
  /// @throws std::runtime_error with the address if nothing can listen there.
  HttpServer(const Router& router, const Access& access, Metrics& metrics,
             const HttpSettings& settings);
  ~HttpServer() { stop(std::chrono::seconds(0)); }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

  /// Serves a connected stream socket, and owns it from now on. False if there are too many.
  bool adopt(int socket);

  /// Accepts no more connections, lets the requests in flight end, at most for `grace`, and then
  /// closes what is left. Returns when no handler runs any more; true if all requests came to their
  /// end. Once.
  bool stop(std::chrono::seconds grace);

 private:
  struct Callbacks;

  ServerParts parts_;
  MHD_Daemon* daemon_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t in_flight_ = 0;  ///< requests whose head has arrived
};

}  // namespace search_server
