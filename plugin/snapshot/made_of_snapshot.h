#pragma once

#include <memory>
#include <mutex>

namespace kindred {

class Snapshot;

/// What is made of a snapshot when somebody first asks for it, and kept until it is asked for of
/// another one. Any number of threads may use it.
template <typename T>
class MadeOfSnapshot {
 public:
  /// What was made, if it is of this snapshot and is_good(it), else what make() gives a pointer to.
  /// It may be used as long as the snapshot, which it may borrow. What make() throws goes to the
  /// caller.
  template <typename IsGood, typename Make>
  std::shared_ptr<const T> get(const std::shared_ptr<const Snapshot>& snapshot, IsGood&& is_good,
                               Make&& make) {
    // Under the lock, so that two threads do not make it at the same time.
    const std::scoped_lock lock(mutex_);
    if (made_ != nullptr && snapshot_.lock() == snapshot && is_good(*made_)) return made_;

    // The old one is let go first: the memory need not hold both.
    made_ = nullptr;
    made_ = make();
    snapshot_ = snapshot;
    return made_;
  }

  /// Null if it was not made yet of this snapshot.
  std::shared_ptr<const T> get_if_made(const std::shared_ptr<const Snapshot>& snapshot) const {
    const std::scoped_lock lock(mutex_);
    return snapshot_.lock() == snapshot ? made_ : nullptr;
  }

 private:
  mutable std::mutex mutex_;
  std::weak_ptr<const Snapshot> snapshot_;  // of made_
  std::shared_ptr<const T> made_;
};

}  // namespace kindred
