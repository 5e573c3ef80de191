#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kindred {

/// Lets other threads have something called in the thread that made the relay.
class CallRelay {
 public:
  /// `call` is borrowed.
  explicit CallRelay(const std::function<void()>& call) : call_(call) {}

  /// Asks for a call: at once if this is the thread of the relay, else by serve(). Calls that are
  /// asked for before one is made are one.
  void ask() {
    if (std::this_thread::get_id() == owner_) return call_();
    const std::lock_guard lock(mutex_);
    is_asked_ = true;
    wake_.notify_one();
  }

  /// Nothing more will be asked for.
  void end() {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    wake_.notify_one();
  }

  /// Makes the calls until end(), in the thread of the relay. Throws what they throw.
  void serve() {
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [this] { return is_asked_ || is_ended_; });
      if (!is_asked_) return;
      is_asked_ = false;
      lock.unlock();
      call_();
      lock.lock();
    }
  }

 private:
  const std::function<void()>& call_;
  const decltype(std::this_thread::get_id()) owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_asked_ = false, is_ended_ = false;
};

}  // namespace kindred
