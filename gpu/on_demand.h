#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace kindred {

/// What calls need for their work and no call is using at the moment, such as scratch memory, which
/// stays warm. Any number of threads may use it.
template <typename T>
class Pool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  /// `make`: makes another one where all are in use; any number of threads may call it.
  explicit Pool(Make make) : make_(std::move(make)) {}

  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<T> one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    return make_();
  }

  /// Destroys it if there is no memory to keep it.
  void give_back(std::unique_ptr<T> one) noexcept try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(one));
  } catch (...) {  // push_back() did not take it, so it ends here
  }

  void clear() noexcept { idle_.clear(); }

 private:
  const Make make_;
  std::mutex mutex_;  // held for a push or a pop
  std::vector<std::unique_ptr<T>> idle_;
};

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
