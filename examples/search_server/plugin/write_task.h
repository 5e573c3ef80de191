#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/handle.h"

namespace search_server {

/// What became of one record.
struct IngestOutcome {
  enum class Kind { kAdded, kReplaced, kRefused };

  Kind kind = Kind::kRefused;
  std::string id;                                         ///< "" if the record could not be read
  std::vector<std::pair<std::string, double>> predicted;  ///< labels and confidences
  bool pending = false;                                   ///< marked to be tagged later
  std::string reason;                                     ///< why it was refused or is pending
};

/// Something that waits for the thread that writes. Whoever handed it in may give it up until that
/// thread has begun with it, and takes its outcome, once.
class WriteTask {
 public:
  using Work = std::function<void(const Handle&)>;

  explicit WriteTask(std::string record) : record_(std::move(record)) {}
  explicit WriteTask(Work work) : work_(std::move(work)) {}

  /// Waits until it is done. Nothing if it was given up at the deadline: then nothing is written.
  /// Once begun it is waited for, whatever the deadline. @throws as take().
  std::optional<IngestOutcome> wait(std::chrono::steady_clock::time_point deadline);

  /// Waits for some time. True if it is done.
  bool finishes_within(std::chrono::milliseconds wait) const {
    return outcome_.wait_for(wait) == std::future_status::ready;
  }
  /// Waits until it is done. @throws what the work threw; PluginError.
  IngestOutcome take() { return outcome_.get(); }

  // For the thread that writes.
  bool begin() { return !left_.exchange(true); }  ///< false if it was given up
  bool is_record() const { return !work_; }
  const std::string& record() const { return record_; }
  const Work& work() const { return work_; }
  void finish(IngestOutcome outcome) { promise_.set_value(std::move(outcome)); }
  void fail(std::exception_ptr error) { promise_.set_exception(std::move(error)); }

 private:
  std::string record_;
  Work work_;
  std::atomic<bool> left_ = false;  ///< it was begun or given up
  std::promise<IngestOutcome> promise_;
  std::future<IngestOutcome> outcome_ = promise_.get_future();
};

}  // namespace search_server
