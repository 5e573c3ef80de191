#include "http/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

namespace search_server {
namespace {

constexpr std::size_t kPiece = 64 << 10;
constexpr std::size_t kMostUnread = 1 << 20;         ///< that finish() takes
constexpr auto kFarewell = std::chrono::seconds(1);  ///< that finish() waits
constexpr auto kSilence = std::chrono::seconds(1);   ///< after which a silent client has left

/// Milliseconds for poll(), rounded up, so that nobody is asked again too early.
int time_until(Wire::Clock::time_point limit) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Wire::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

/// Waits for an event; returns what has happened to each, or false at the limit.
bool wait_for(std::array<pollfd, 2>& waits, Wire::Clock::time_point limit) {
  while (true) {
    const int count = poll(waits.data(), waits.size(), time_until(limit));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

}  // namespace

bool Wire::receive(Clock::time_point limit, bool until_stop) {
  bytes_.erase(0, std::exchange(taken_, 0));
  std::array<pollfd, 2> waits{{{socket_, POLLIN, 0}, {until_stop ? stop_ : -1, POLLIN, 0}}};
  std::array<char, kPiece> piece;
  while (wait_for(waits, limit)) {
    if (waits[1].revents != 0) return false;
    const ssize_t size = recv(socket_, piece.data(), piece.size(), MSG_DONTWAIT);
    if (size > 0) {
      bytes_.append(piece.data(), static_cast<std::size_t>(size));
      return true;
    }
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) return false;
  }
  return false;
}

bool Wire::send(std::initializer_list<std::string_view> parts, std::chrono::seconds idle) {
  std::vector<iovec> left;
  for (const std::string_view part : parts)
    if (!part.empty()) left.push_back({const_cast<char*>(part.data()), part.size()});
  auto first = left.begin();
  Pace pace(idle);
  has_sent_ = true;
  while (first != left.end()) {
    msghdr message{};
    message.msg_iov = &*first;
    message.msg_iovlen = static_cast<std::size_t>(left.end() - first);
    const ssize_t sent = sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    std::array<pollfd, 2> waits{{{socket_, POLLOUT, 0}, {-1, 0, 0}}};
    if (sent < 0) {
      if (!wait_for(waits, pace.limit())) return false;
      continue;
    }

    // Leave out what is sent.
    auto rest = static_cast<std::size_t>(sent);
    pace.moved(rest);
    for (; first != left.end() && rest >= first->iov_len; ++first) rest -= first->iov_len;
    if (first == left.end()) break;
    first->iov_base = static_cast<char*>(first->iov_base) + rest;
    first->iov_len -= rest;
  }
  return true;
}

bool Wire::has_left() {
  pollfd look{socket_, POLLRDHUP, 0};
  if (poll(&look, 1, 0) <= 0) return false;
  if ((look.revents & (POLLERR | POLLHUP)) != 0) return true;
  if (!fell_silent_) fell_silent_ = Clock::now();
  return Clock::now() - *fell_silent_ >= kSilence;
}

void Wire::finish() {
  if (!has_sent_) return;
  shutdown(socket_, SHUT_WR);
  const auto limit = Clock::now() + kFarewell;
  for (std::size_t passed = 0; passed < kMostUnread && receive(limit, true);) {
    passed += bytes().size();
    take(bytes().size());
  }
}

}  // namespace search_server
