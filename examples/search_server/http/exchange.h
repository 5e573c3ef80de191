#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/access.h"
#include "http/answer.h"
#include "http/body_reader.h"
#include "http/connections.h"
#include "http/head.h"
#include "http/metrics.h"
#include "http/router.h"
#include "http/worker_pool.h"

namespace search_server {

/// How long what may take.
struct TimeLimits {
  std::chrono::milliseconds head{20'000};  ///< for the head of a request, also after the one before
  std::chrono::milliseconds body{20'000};  ///< for the next bytes of a body
  std::chrono::milliseconds send{20'000};  ///< for a client to take what is sent
  std::chrono::milliseconds request{30'000};  ///< until a handler should have answered
  std::size_t slowest = 4096;  ///< bytes a second that a client has to send or take on average
};

/// What all exchanges of a server share. Outlives them.
struct ServerParts {
  const Router& router;
  const Access& access;
  Metrics& metrics;
  WorkerPool& pool;
  HeadLimits head;
  TimeLimits times;
  std::atomic<bool> draining{false};  ///< no connection is kept after its answer
  std::atomic<bool> aborting{false};  ///< nothing is waited for any more
};

/// One request and its answer. The thread of libmicrohttpd brings what arrives, and takes what is
/// sent; a thread of the pool runs the handler and reads the body. Whoever has to wait for the
/// other suspends the connection, or sleeps. libmicrohttpd begins no answer before the body has
/// ended.
class Exchange final : public BodyReader, public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(ServerParts& parts, MHD_Connection* connection, std::string target);
  ~Exchange() override;

  // What libmicrohttpd tells, in its thread. False: it is to close the connection.
  bool on_head(const std::string& method);
  bool on_data(const char* data, std::size_t& size);  ///< leaves in `size` what it did not take
  bool on_end();
  void on_closed(bool completed);

  /// Wakes everybody who waits, for the end of the server.
  void abort();

  bool read(std::string& to) override;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Body { kNone, kArriving, kDiscarded, kEnded };

  void find_route();
  void start(std::unique_lock<std::mutex>& lock);
  void handle();
  Response answer() const;
  void complete(Response response);
  void refuse(const class Problem& problem);
  bool send(std::unique_lock<std::mutex>& lock);
  bool suspend();
  void resume();
  Connection* connection_record() const;
  std::chrono::milliseconds time_for(std::chrono::milliseconds time, std::size_t bytes) const;
  void log(bool completed) const;

  // Streams.
  static ssize_t read_stream(void* cls, std::uint64_t position, char* to, std::size_t most);
  ssize_t take_streamed(char* to, std::size_t most);
  void fetch_later(std::chrono::milliseconds delay);
  void fetch();
  ResponsePointer make_streamed(Response& response);

  ServerParts& parts_;
  const Clock::time_point began_ = Clock::now();
  Head head_;
  const Route* route_ = nullptr;
  std::size_t body_limit_ = 0;

  mutable std::mutex mutex_;  ///< for everything below
  std::condition_variable changed_;
  MHD_Connection* connection_;
  bool suspended_ = false;
  bool started_ = false;       ///< the handler was put on the pool
  bool ended_before_ = false;  ///< on_end() was called
  bool sent_ = false;          ///< the answer was given to libmicrohttpd
  bool gone_ = false;          ///< the connection is closed, or the answer has ended

  Body body_ = Body::kNone;
  std::string arrived_;        ///< of the body, and not read yet
  std::size_t received_ = 0;   ///< bytes of the body, all together
  std::size_t discarded_ = 0;  ///< bytes that nobody wants
  bool too_large_ = false;
  Clock::duration waited_{};  ///< by the handler for the body

  ResponsePointer answer_;  ///< ready to be sent
  int status_ = 0;
  std::size_t sent_bytes_ = 0;
  std::unique_ptr<BodyStream> stream_;
  std::string streamed_;  ///< made, and not sent yet
  bool fetching_ = false;
  bool stream_ended_ = false;
  bool stream_failed_ = false;
};

}  // namespace search_server
