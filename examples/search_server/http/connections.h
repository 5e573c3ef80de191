#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_set>

namespace search_server {

/// An open connection, and when its client is given up.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}

  /// The client has to send the whole head of a request within `time`. Until then it is idle.
  void expect_request(std::chrono::milliseconds time);
  /// It has to send more of a body, or take what is sent, within `time`.
  void expect_progress(std::chrono::milliseconds time);
  /// It is the server's turn: the client may wait.
  void expect_nothing();

 private:
  friend class Connections;
  const int socket_;
  std::atomic<std::int64_t> expires_{0};  ///< milliseconds of the steady clock; 0: never
  std::atomic<bool> idle_{true};
};

/// All open connections. A thread shuts those down whose clients are too slow, however little by
/// little they send. Thread-safe.
class Connections {
 public:
  /// Looks after them as often as the times that clients get demand it, of which `shortest` is one.
  explicit Connections(std::chrono::milliseconds shortest);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Lives until remove(), which is called before its socket is closed.
  Connection* add(int socket);
  void remove(Connection* connection);

  /// Shuts down those without a request.
  void close_idle();
  void close_all();
  std::size_t size() const;

 private:
  void sweep();
  void shut_down_if(const std::function<bool(const Connection&)>& chosen);

  const std::chrono::milliseconds pause_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_set<Connection*> connections_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace search_server
