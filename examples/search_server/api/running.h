#pragma once

#include <chrono>

namespace search_server {

/// Ends a long call of the plugin when its request is overdue: pass step<Step> as `progress` and
/// this as `progress_user`.
class Running {
 public:
  explicit Running(std::chrono::steady_clock::time_point deadline) : deadline_(deadline) {}

  template <typename Step>
  static int step(void* user, const Step*) {
    const auto& running = *static_cast<const Running*>(user);
    return std::chrono::steady_clock::now() < running.deadline_ ? 0 : 1;
  }

 private:
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace search_server
