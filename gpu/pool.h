#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kindred {

/// Lends what calls need for their work, such as scratch memory, which stays warm. Any number of
/// threads may use it; it outlives its leases.
///
///     Pool<Scratch> pool(std::make_unique<Scratch>);
///     const Pool<Scratch>::Lease scratch = pool.lease();
template <typename T>
class Pool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;

  /// Gives back what was leased. What is leased when an exception is thrown is destroyed, since its
  /// work has not ended; but not if the pool keeps all.
  struct GiveBack {
    Pool* pool = nullptr;  ///< null: it is destroyed
    int exceptions = 0;    ///< under way when the lease began

    void operator()(T* leased) const noexcept {
      std::unique_ptr<T> one(leased);
      if (pool == nullptr) return;
      if (pool->keeps_all_ || std::uncaught_exceptions() <= exceptions) pool->keep(std::move(one));
    }
  };
  using Lease = std::unique_ptr<T, GiveBack>;

  /// `make`: makes another one where all are in use; any number of threads may call it.
  explicit Pool(Make make, bool keeps_all = false)
      : make_(std::move(make)), keeps_all_(keeps_all) {}

  /// @throws as `make`.
  Lease lease() {
    std::unique_ptr<T> one = idle();
    if (one == nullptr) one = make_();
    return {one.release(), {this, std::uncaught_exceptions()}};
  }

  void clear() noexcept { idle_.clear(); }

 private:
  std::unique_ptr<T> idle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;

    std::unique_ptr<T> one = std::move(idle_.back());
    idle_.pop_back();
    return one;
  }

  /// Destroys it if there is no memory to keep it.
  void keep(std::unique_ptr<T> one) noexcept try {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(one));
  } catch (...) {  // push_back() did not take it, so it ends here
  }

  const Make make_;
  const bool keeps_all_;
  std::mutex mutex_;  // held for a push or a pop
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace kindred
