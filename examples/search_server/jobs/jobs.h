#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "plugin/handle.h"

namespace search_server {

/// The long works of this process: one of each kind at a time, each in a thread of its own. Ended
/// jobs are remembered, the latest hundred of them. Any thread may use it. A job is shown as JSON:
/// id, kind, state ("running", "done", "failed" or "canceled"), progress (doing, done, of), listed
/// (how many documents the list that it makes has looked at so far; 0: there is none yet), started,
/// finished, result (an object if it is done, else null) and error (a problem if it has failed).
///
/// Lists that people work through look at all documents, so jobs make them, too. As anybody may ask
/// for them, one is made at a time, of whatever kind, when nobody else needs the processor, and the
/// jobs that made lists are remembered apart, the latest twenty of them. A list is kept
/// until the index has another revision, and after that for ten times as long as it took to make,
/// at most five minutes. Documents that people have changed meanwhile are left out of it, and not
/// counted. A job that makes a list is canceled when nobody has asked for it, or for a list that
/// waits for it, for ten seconds.
class Jobs {
 public:
  /// Does the work and returns its result, an object. It tells its progress by `step`, and ends
  /// when that returns false. What it throws becomes the job's error: a Problem as it is, anything
  /// else as an internal error.
  using Work = std::function<Json(const Step& step)>;
  /// The same of a list, which it may publish before it is complete. Its answers have "examined".
  using ListWork = std::function<Json(const Step& step, const std::function<void(Json)>& publish)>;

  Jobs() = default;
  ~Jobs() { stop(); }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Returns the job. @throws Problem 409 if one of its kind runs, with its id; 503 after
  /// cancel_all().
  Json start(const std::string& kind, Work work);

  Json all() const;  ///< the latest first
  /// @throws Problem 404
  Json find(const std::string& id);
  /// Asks a job to end, and returns it. Nothing changes if it has ended. @throws Problem 404
  Json cancel(const std::string& id);

  /// The list that answers `question`, and in it "complete" and "job". If it is not complete, it is
  /// what is kept, what its job has published, or `first()`, and the job makes it, or another one
  /// before it: ask again when that has ended. Items of lists in it have an "id", or "documents"
  /// with an "id" each; they are whole after take_page(). `version` is another one when the index
  /// is. @throws what `first` throws; Problem 503 after cancel_all().
  Json list(const std::string& kind, const std::string& question, std::int64_t version,
            const ListWork& make, const std::function<Json()>& first);
  /// People changed this document.
  void changed(const std::string& id);

  /// Cancels all jobs, and returns at once. None starts afterwards.
  void cancel_all();
  /// The same, and returns when they have ended.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Job;
  struct List {
    Json answer;
    std::int64_t version;
    Clock::time_point began, ended;  ///< of the work that made it
    bool is_whole;
  };

  Json start_list(const std::string& kind, const std::string& name, std::int64_t version,
                  const ListWork& make);
  Json begin(const std::string& kind, bool is_list, Work work);
  void run(Job& job, const Work& work);
  void publish(const std::string& name, List list);
  Job& find_job(const std::string& id) const;

  mutable std::mutex mutex_;
  std::condition_variable kept_;
  std::deque<std::shared_ptr<Job>> jobs_;             ///< the oldest first
  std::map<std::string, List> lists_;                 ///< by kind and question
  std::map<std::string, Clock::time_point> changed_;  ///< by id, since the oldest list began
  bool stopped_ = false;
};

/// Puts what the list of such an answer has of a document behind its first item, as "more"; adds
/// "documents", how many are left.
void join_documents(Json& answer, const char* key);

/// Leaves, of a list of such an answer, the part that `after` and `limit` ask for; adds "next".
void take_page(const Json& asked, Json& answer, const char* key);

}  // namespace search_server
