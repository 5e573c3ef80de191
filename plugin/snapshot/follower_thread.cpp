#include "plugin/snapshot/follower_thread.h"

#include <cstddef>
#include <utility>

#include "gpu/workers.h"
#include "plugin/store/database.h"

namespace kindred {

FollowerThread::FollowerThread(const MirrorSettings& settings, std::function<void()> look, Log log)
    : pause_(settings.max_staleness_ms / 2), look_(std::move(look)), log_(std::move(log)) {
  constexpr std::size_t kBesideTheCaller = 2;
  thread_ = run_beside(kBesideTheCaller, [this] {
    run();
  });
  if (thread_.wait_for(std::chrono::seconds(0)) == std::future_status::deferred && log_)
    log_("the index is not followed: the system has no thread for it");
}

FollowerThread::~FollowerThread() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  wake_.notify_one();
}

void FollowerThread::run() {
  std::unique_lock lock(mutex_);
  auto next = std::chrono::steady_clock::now() + pause_;

  while (!wake_.wait_until(lock, next, [this] {
    return stopped_;
  })) {
    next = std::chrono::steady_clock::now() + pause_;  // the time of a call counts, too

    // Without the lock, so that the destructor can say meanwhile that this is the last call.
    lock.unlock();
    call();
    lock.lock();
  }
}

void FollowerThread::call() {
  std::string failure;
  try {
    look_();
  } catch (...) {
    failure = reason_in_flight();
  }

  // What fails now is likely to fail in the next call, too, and is said once.
  if (!failure.empty() && failure != last_failure_ && log_) {
    log_("the index could not be followed, and will be looked at again: " + failure);
  }
  last_failure_ = std::move(failure);
}

}  // namespace kindred
