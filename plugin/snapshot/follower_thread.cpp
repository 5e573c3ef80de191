#include "plugin/snapshot/follower_thread.h"

#include <cstddef>
#include <exception>
#include <utility>

#include "gpu/workers.h"

namespace kindred {

FollowerThread::FollowerThread(const std::vector<std::string>& folders,
                               const MirrorSettings& settings, std::function<void()> look, Log log)
    : staleness_(settings.max_staleness_ms),
      look_(std::move(look)),
      log_(std::move(log)),
      watch_(settings.follow == "auto" ? folders : std::vector<std::string>()) {
  constexpr std::size_t kBesideTheCaller = 2;
  thread_ = run_beside(kBesideTheCaller, [this] { run(); });
  if (thread_.wait_for(std::chrono::seconds(0)) == std::future_status::deferred && log_)
    log_("the index is not followed: the system has no thread for it");
}

FollowerThread::~FollowerThread() {
  stopped_ = true;
  watch_.stop();
}

void FollowerThread::run() {
  for (;;) {
    watch_.wait(staleness_);
    if (stopped_) return;
    call();
  }
}

void FollowerThread::call() {
  std::string failure;
  try {
    look_();
  } catch (const std::exception& e) {
    failure = e.what();
  }
  if (!failure.empty() && failure != last_failure_ && log_) {
    log_("the index could not be followed, and will be looked at again: " + failure);
  }
  last_failure_ = std::move(failure);
}

}  // namespace kindred
