#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace search_server {

/// A value that many threads read, and that is replaced as a whole: who has read it keeps what it
/// was. (Not std::atomic<std::shared_ptr>, whose readers in libstdc++ 12 let go of its lock without
/// a release, so a writer may race with them.)
template <typename T>
class Replaceable {
 public:
  explicit Replaceable(std::shared_ptr<const T> value = {}) : value_(std::move(value)) {}

  std::shared_ptr<const T> load() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

  void store(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }  // the lock ends before `value`, which may be the last to hold what was there

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace search_server
