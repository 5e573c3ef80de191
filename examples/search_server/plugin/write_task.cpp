#include "plugin/write_task.h"

namespace search_server {

std::optional<IngestOutcome> WriteTask::wait(std::chrono::steady_clock::time_point deadline) {
  const bool late = outcome_.wait_until(deadline) == std::future_status::timeout;
  if (late && !left_.exchange(true)) return {};
  return take();
}

}  // namespace search_server
