#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "jobs/jobs.h"
#include "plugin/handle.h"

namespace search_server {

/// Answers that take seconds, since they look at all documents: lists that people work through. A
/// job makes each. It is kept until the index has another revision, and after that for ten times as
/// long as it took to make, at most five minutes; documents that people have changed meanwhile are
/// left out of it. Any thread may use it.
class Lists {
 public:
  explicit Lists(Jobs& jobs) : jobs_(jobs) {}

  /// The answer to `question`, and in it "complete" and "job". If it is not complete, it is what is
  /// kept, or `first()`, and the job makes it, or another one before it: ask again when that has
  /// ended. Items of lists in it have an "id", or "documents" with an "id" each. `kind`: of the
  /// job. `etag`: of answers now. @throws what `first` throws; Problem 503 when the server stops.
  Json get(const std::string& kind, const std::string& question, const std::string& etag,
           const Jobs::Work& make, const std::function<Json()>& first);

  /// People changed this document.
  void changed(const std::string& id);

 private:
  using Clock = std::chrono::steady_clock;

  struct Kept {
    Json answer;  ///< null: it is not made yet
    std::string etag;
    Clock::time_point made;
    Clock::duration cost{};
    std::set<std::string> changed;  ///< ids of documents, meanwhile
  };

  static bool is_good(const Kept& kept, const std::string& etag);
  Json work(JobContext& context, Kept& kept, const std::string& etag, const Jobs::Work& make);

  Jobs& jobs_;
  std::mutex mutex_;
  std::condition_variable made_;
  std::map<std::string, std::shared_ptr<Kept>> answers_;  ///< by kind and question
};

}  // namespace search_server
