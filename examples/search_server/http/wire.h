#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace search_server {

/// Until when a client has to send or take the next bytes: it may rest for `idle`, but on the whole
/// has to do 1 KB a second after that. So nobody holds a connection by a byte now and then.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pace(std::chrono::seconds idle) : idle_(idle) {}

  void moved(std::size_t bytes) {
    bytes_ += bytes;
    last_ = Clock::now();
  }
  Clock::time_point limit() const {
    return std::min(last_, began_ + std::chrono::seconds(bytes_ / kSlowest)) + idle_;
  }

 private:
  static constexpr std::size_t kSlowest = 1024;  // bytes a second

  std::chrono::seconds idle_;
  std::size_t bytes_ = 0;
  Clock::time_point began_ = Clock::now(), last_ = began_;
};

/// The socket of a client, and what came and was not taken yet. Belongs to the thread of its
/// connection, and does not close the socket.
class Wire {
 public:
  using Clock = Pace::Clock;

  /// `stop`: a descriptor that becomes readable when the server stops.
  Wire(int socket, int stop) : socket_(socket), stop_(stop) {}

  /// Waits for more bytes. False if none come: the client has closed, or is later than `limit`;
  /// with `until_stop`, also if the server stops.
  bool receive(Clock::time_point limit, bool until_stop = false);

  /// What came and was not taken; until the next call of receive().
  std::string_view bytes() const { return std::string_view(bytes_).substr(taken_); }
  void take(std::size_t count) { taken_ += count; }

  /// Sends all of the parts. False if the client has left, or does not take them in time.
  bool send(std::initializer_list<std::string_view> parts, std::chrono::seconds idle);

  /// True if the client has closed the connection. One that has said its last word, and so may have
  /// left or wait for an answer, counts as gone after a second.
  bool has_left();

  /// Ends the connection such that the client can read what was sent last, though some of what it
  /// sent was not read: reads on for a moment.
  void finish();

 private:
  const int socket_, stop_;
  std::string bytes_;
  std::size_t taken_ = 0;  ///< of them
  bool has_sent_ = false;
  std::optional<Clock::time_point> fell_silent_;
};

}  // namespace search_server
