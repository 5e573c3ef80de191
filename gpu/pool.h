#pragma once

#include <functional>
#include <memory>
#include <mutex>
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

}  // namespace kindred
