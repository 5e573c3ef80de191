#include "plugin/snapshot/follower_thread.h"

#include <exception>
#include <system_error>
#include <utility>

namespace kindred {

FollowerThread::FollowerThread(const std::vector<std::string>& folders,
                               const MirrorSettings& settings, std::function<void()> look, Log log)
    : staleness_(settings.max_staleness_ms),
      look_(std::move(look)),
      log_(std::move(log)),
      watch_(settings.follow == "auto" ? folders : std::vector<std::string>()) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& e) {
    if (log_) log_(std::string("the index is not followed: cannot start a thread: ") + e.what());
  }
}

FollowerThread::~FollowerThread() {
  stopped_ = true;
  watch_.stop();
  if (thread_.joinable()) thread_.join();
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
