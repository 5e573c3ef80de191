#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobs/job.h"

namespace search_server {

class Jobs;

/// What the work of a job tells and asks. Safe from many threads, as long as the work runs.
class JobContext {
 public:
  /// `done` of `of` steps of what it is doing; 0 of 0: not known.
  void progress(const std::string& doing, std::uint64_t done, std::uint64_t of);
  /// True if the work is to end soon; whatever it returns or throws then, it was canceled.
  bool canceled() const;

 private:
  friend class Jobs;
  struct Entry;
  JobContext(Jobs& jobs, Entry& entry) : jobs_(jobs), entry_(entry) {}

  Jobs& jobs_;
  Entry& entry_;
};

/// The long works of this process: one of each kind at a time, each in a thread of its own. Ended
/// jobs are remembered, the latest hundred of them. Thread-safe.
class Jobs {
 public:
  /// Does the work and returns its result, an object. What it throws becomes the job's error: a
  /// Problem as it is, anything else as an internal error.
  using Work = std::function<nlohmann::ordered_json(JobContext&)>;

  Jobs();
  ~Jobs();  ///< as stop()
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// @throws Problem 409 if a job of this kind runs, with its id; 503 after stop().
  Job start(const std::string& kind, Work work);

  std::vector<Job> list() const;  ///< the latest first
  std::optional<Job> find(const std::string& id) const;
  /// Asks a job to end. Nothing changes if it has ended.
  void cancel(const std::string& id);

  /// Cancels all jobs and returns when they have ended. None starts afterwards.
  void stop();

 private:
  friend class JobContext;
  using Entry = JobContext::Entry;

  void run(Entry& entry, const Work& work);
  Entry* entry_of(const std::string& id) const;
  void forget_oldest();

  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<Entry>> entries_;  ///< the oldest first
  bool stopped_ = false;
};

}  // namespace search_server
