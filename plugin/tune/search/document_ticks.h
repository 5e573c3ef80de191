#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kindred {

/// How many documents were done since the last tick.
using OnDocuments = std::function<void(std::uint64_t documents)>;

/// Takes the ticks of all threads of a search, and tells them in the thread that made it, which may
/// be the only one that a host lets in. If that is refused, by an exception, nothing more is told,
/// and every other thread gets the same exception at its next tick.
class DocumentTicks {
 public:
  /// `on_documents`: called for each tick.
  explicit DocumentTicks(OnDocuments on_documents) : on_documents_(std::move(on_documents)) {}

  /// Any thread may call it. In the thread that made this, it tells what the others did, too.
  void tick(std::uint64_t documents) {
    add(documents);
    try {
      if (std::this_thread::get_id() == owner_) tell();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  /// Tells what waits, in the thread that made this.
  void tell() {
    for (const std::uint64_t documents : take()) on_documents_(documents);
  }

  /// Lets a search begin that has nothing to do with one that failed. No other thread is left.
  void forget() {
    failure_ = nullptr;
    waiting_.clear();
  }

 private:
  void add(std::uint64_t documents) {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    waiting_.push_back(documents);
  }

  std::vector<std::uint64_t> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

  /// The first failure is everybody's.
  [[noreturn]] void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    std::rethrow_exception(failure_);
  }

  const OnDocuments on_documents_;
  const decltype(std::this_thread::get_id()) owner_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::vector<std::uint64_t> waiting_;
  std::exception_ptr failure_;
};

}  // namespace kindred
