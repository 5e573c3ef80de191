#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "http/access.h"
#include "http/exchange.h"
#include "http/metrics.h"
#include "http/router.h"

namespace search_server {

struct HttpSettings {
  std::string address = "127.0.0.1";        ///< to listen at, IPv4 or IPv6
  std::uint16_t port = 8080;                ///< 0: the system chooses one
  std::size_t connections = 512;            ///< more wait until one is closed
  std::size_t connections_per_address = 0;  ///< more are closed at once; 0: any number
  std::size_t workers = 4;                  ///< threads that run handlers
  std::size_t queue = 64;                   ///< requests that wait for one; further ones get a 503
  HeadLimits head;
  TimeLimits times;
};

/// Listens, and answers requests by the handlers of a router until it is stopped.
class HttpServer {
 public:
  /// Starts to listen. The router has all its routes; it, `access` and `metrics` outlive the
  /// server.
  /// @throws std::runtime_error with the address if nothing can listen there.
  HttpServer(const Router& router, const Access& access, Metrics& metrics,
             const HttpSettings& settings);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

  /// Serves a connected stream socket, and owns it from now on. False if there are too many.
  bool adopt(int socket);

  /// Runs a task in a thread of the pool. False if its queue is full.
  bool submit(WorkerPool::Task task);

  /// Accepts no more connections, lets the requests in flight end, at most for `grace`, and then
  /// closes what is left. Endless streams end as soon as they have nothing to send. Returns when no
  /// handler runs any more; true if all requests came to their end. Once.
  bool stop(std::chrono::milliseconds grace);

 private:
  class Daemon;
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace search_server
