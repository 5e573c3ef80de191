#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "http/access.h"
#include "http/router.h"

namespace search_server {

struct HttpSettings {
  std::string address = "127.0.0.1";  ///< to listen at, IPv4 or IPv6
  std::uint16_t port = 8080;          ///< 0: the system chooses one
  std::string base_path;              ///< what a proxy has before all paths; "" or "/kindred"
  unsigned connections = 256;         ///< each has a thread; some more are told to come back
  /// Of one address that is not of this machine; more are closed at once. 0: any number.
  unsigned connections_per_address = 32;
  std::chrono::seconds idle{20};     ///< in which a head arrives, and a client does something
  std::chrono::seconds request{30};  ///< after which an answer is of no use
};

/// True for an address of this machine alone.
bool is_loopback(const sockaddr& address);
/// The same for one that is written; false for what is no address.
bool is_loopback(const std::string& address);

/// Listens, and answers requests by the handlers of a router until it is stopped. Each connection
/// has a thread, which reads, runs the handler, and writes. It reads requests itself, and strictly
/// (http/head.h): a library that takes what RFC 9112 forbids cannot be corrected from outside.
class HttpServer {
 public:
  /// Starts to listen. The router has all its routes; it and `access` outlive the server.
  /// @throws std::runtime_error with the address if nothing can listen there.
  HttpServer(const Router& router, const Access& access, const HttpSettings& settings);
  ~HttpServer() { stop(std::chrono::seconds(0)); }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

  /// Serves a connected stream socket, and owns it from now on. False, and it does not own it, if
  /// there are too many.
  bool adopt(int socket);

  /// How many connections are open. Of all others nothing is left, neither a thread nor memory.
  std::size_t connections();

  /// Accepts no more connections, and lets the requests in flight end, at most for `grace`. From
  /// its half on nobody waits for their answers (Request::is_wanted); at its end it closes what is
  /// left. Returns when no handler runs any more; true if all requests came to their end. Once.
  bool stop(std::chrono::seconds grace);

 private:
  class Exchange;

  struct Connection {
    int socket;
    std::string address;  ///< its bytes; "" if it does not count
    bool is_local;        ///< from this machine
    bool is_spare;        ///< one beyond those that are allowed
    bool has_ended = false;
    std::thread thread{};
  };

  void listen_at();
  void accept_all();
  bool begin(int socket, const std::string& address, bool is_local, std::size_t most);
  void serve(Connection& connection);

  const Router& router_;
  const Access& access_;
  const HttpSettings settings_;
  int listener_ = -1;
  int stopping_ = -1;                      ///< readable from stop() on
  int ended_ = -1;                         ///< readable after a connection has ended
  std::atomic<bool> draining_{false};      ///< no connection is kept after its answer
  std::atomic<bool> canceling_{false};     ///< nobody waits for answers
  std::atomic<std::size_t> in_flight_{0};  ///< requests whose head has arrived
  std::mutex mutex_;                       ///< guards what follows
  std::list<Connection> connections_;
  std::thread acceptor_;
};

}  // namespace search_server
