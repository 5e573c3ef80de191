#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "gpu/workers.h"

namespace kindred::cpu {

/// What is being made is no longer wanted.
struct MakingStopped {};

/// Makes something of a mirror, once, beside those who use the mirror. Backends of later states of
/// the mirror share it, so that it goes on when the backend that began it is gone. The memory that
/// the work borrows has to last as long as it. Any number of threads may call it.
template <typename Result>
class Making {
 public:
  /// Throws MakingStopped within a few milliseconds after `stop` became true.
  using Work = std::function<Result(const std::atomic<bool>& stop)>;

  explicit Making(Work work) : work_(std::move(work)) {}
  /// Stops the work, and waits for its thread.
  ~Making() { stop_.store(true, std::memory_order_relaxed); }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

  /// Calls run() in a thread of its own. False if it may have one thread only (`threads` as in
  /// gpu/workers.h), or the system gives none. Either this or run() is called, once; run() also
  /// after this returned false.
  bool start(std::size_t threads) {
    std::future<void> thread = run_beside(threads, [this] { run(); });
    if (thread.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) return false;
    thread_ = std::move(thread);
    return true;
  }

  /// Does the work, or keeps what that threw.
  void run() noexcept {
    std::shared_ptr<const Result> result;
    std::exception_ptr failure;
    try {
      result = std::make_shared<const Result>(work_(stop_));
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      result_ = std::move(result);
      failure_ = std::move(failure);
      ended_ = true;
    }
    end_.notify_all();
  }

  bool ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

  /// Until it has ended.
  void wait() const {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return ended_; });
  }

  /// What it made; null if it has not ended. @throws what the work threw.
  std::shared_ptr<const Result> result() const {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return result_;
  }

 private:
  const Work work_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable end_;
  bool ended_ = false;
  std::shared_ptr<const Result> result_;
  std::exception_ptr failure_;
  std::future<void> thread_;  ///< last: the others outlive it
};

}  // namespace kindred::cpu
