#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/router.h"
#include "plugin/handle.h"

namespace search_server {

/// A job, as its work sees it: what it tells and asks. Safe from many threads, as long as the work
/// runs.
class JobContext {
 public:
  /// `done` of `of` steps of what it is doing; 0 of 0: not known.
  void progress(const std::string& doing, std::uint64_t done, std::uint64_t of);
  /// True if the work is to end soon; whatever it returns or throws then, it was canceled.
  bool canceled() const { return canceled_; }

 private:
  friend class Jobs;
  JobContext(std::mutex& mutex, Json job) : mutex_(mutex), job_(std::move(job)) {}

  std::string id() const { return job_["id"]; }
  bool is_running() const { return job_["state"] == "running"; }

  std::mutex& mutex_;  ///< of the jobs, guards job_
  Json job_;           ///< as it is shown
  std::atomic<bool> canceled_{false};
  std::thread thread_;
};

/// The long works of this process: one of each kind at a time, each in a thread of its own. Ended
/// jobs are remembered, the latest hundred of them. Thread-safe. A job is shown as JSON: id, kind,
/// state ("running", "done", "failed" or "canceled"), progress (doing, done, of), started,
/// finished, result (an object if it is done, else null) and error (a problem if it has failed).
class Jobs {
 public:
  /// Does the work and returns its result, an object. What it throws becomes the job's error: a
  /// Problem as it is, anything else as an internal error.
  using Work = std::function<Json(JobContext&)>;

  Jobs() = default;
  ~Jobs() { stop(); }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Returns the job; if one of its kind runs and `joins`, that one. @throws Problem 409 if one
  /// runs, with its id; 503 after stop().
  Json start(const std::string& kind, Work work, bool joins = false);

  std::vector<Json> list() const;  ///< the latest first
  /// @throws Problem 404
  Json find(const std::string& id) const;
  /// Asks a job to end. Nothing changes if it has ended. @throws Problem 404
  void cancel(const std::string& id);

  /// Cancels all jobs and returns when they have ended. None starts afterwards.
  void stop();

 private:
  void run(JobContext& job, const Work& work);
  JobContext& find_job(const std::string& id) const;
  void forget_oldest();

  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<JobContext>> jobs_;  ///< the oldest first
  bool stopped_ = false;
};

/// GET /jobs, GET /jobs/{id}, DELETE /jobs/{id}. `jobs` outlives the router.
void add_job_routes(Router& router, Jobs& jobs);

/// 202 with the job and its Location.
Response job_started(const Json& job);

}  // namespace search_server
