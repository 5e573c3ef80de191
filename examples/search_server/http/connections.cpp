#include "http/connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <memory>

namespace search_server {
namespace {

constexpr std::chrono::milliseconds kLongestPause{500};

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void Connection::expect_request(std::chrono::milliseconds time) {
  idle_ = true;
  expires_ = now_ms() + time.count();
}

void Connection::expect_progress(std::chrono::milliseconds time) {
  idle_ = false;
  expires_ = now_ms() + time.count();
}

void Connection::expect_nothing() {
  idle_ = false;
  expires_ = 0;
}

Connections::Connections(std::chrono::milliseconds shortest)
    : pause_(std::min(kLongestPause, shortest / 4 + std::chrono::milliseconds(1))),
      thread_([this] { sweep(); }) {}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
  for (Connection* connection : connections_) delete connection;
}

Connection* Connections::add(int socket) {
  auto connection = std::make_unique<Connection>(socket);
  const std::lock_guard lock(mutex_);
  connections_.insert(connection.get());
  return connection.release();
}

void Connections::remove(Connection* connection) {
  const std::lock_guard lock(mutex_);
  if (connections_.erase(connection) > 0) delete connection;
}

void Connections::close_idle() {
  shut_down_if([](const Connection& connection) { return connection.idle_.load(); });
}

void Connections::close_all() {
  shut_down_if([](const Connection&) { return true; });
}

std::size_t Connections::size() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

void Connections::shut_down_if(const std::function<bool(const Connection&)>& chosen) {
  const std::lock_guard lock(mutex_);
  for (const Connection* connection : connections_) {
    if (chosen(*connection)) shutdown(connection->socket_, SHUT_RDWR);
  }
}

void Connections::sweep() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause_, [this] { return stopped_; })) {
    lock.unlock();
    const std::int64_t now = now_ms();
    shut_down_if([now](const Connection& connection) {
      const std::int64_t expires = connection.expires_;
      return expires != 0 && expires < now;
    });
    lock.lock();
  }
}

}  // namespace search_server
