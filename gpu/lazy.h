#pragma once

#include <atomic>
#include <mutex>
#include <optional>

namespace kindred {

/// A value that is made when it is first asked for. Any number of threads may share it.
template <typename T>
class Lazy {
 public:
  /// The value, by make() at the first call; others wait for it. What it throws goes to the caller,
  /// and the next call tries again.
  template <typename Make>
  const T& get(Make&& make) const {
    std::call_once(once_, [&] {
      value_.emplace(make());
      has_.store(true, std::memory_order_release);
    });
    return *value_;
  }
  /// Null if it is not made yet. Waits for nobody.
  const T* get_if_made() const { return has_.load(std::memory_order_acquire) ? &*value_ : nullptr; }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
  mutable std::atomic<bool> has_ = false;
};

}  // namespace kindred
