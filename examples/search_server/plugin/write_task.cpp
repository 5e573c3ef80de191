#include "plugin/write_task.h"

namespace search_server {

std::optional<IngestOutcome> WriteTask::wait(std::chrono::steady_clock::time_point deadline) {
  std::future<IngestOutcome> outcome = outcome_.get_future();
  const bool late = outcome.wait_until(deadline) == std::future_status::timeout;
  if (late && !left_.exchange(true)) return {};
  return outcome.get();
}

}  // namespace search_server
