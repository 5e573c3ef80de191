#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "api/json.h"

namespace search_server {

/// Answers that take seconds, since they look at all documents: lists that people work through.
/// Each is kept until the index has another revision, and after that for ten times as long as it
/// took to make, at most five minutes; documents that people have changed meanwhile are left out of
/// it. Requests for an answer that is being made wait for it. Any thread may use it.
class SlowAnswers {
 public:
  using Clock = std::chrono::steady_clock;
  using Make = std::function<Json()>;

  /// The answer to `question`. Its member `list` is an array of objects with an "id" each.
  /// `revision`: of the index now. @throws what `make` throws; Problem 503 if another request makes
  /// it until the deadline.
  Json get(const std::string& question, const std::string& revision, const std::string& list,
           Clock::time_point deadline, const Make& make);

  /// People changed this document, in the revision that comes next.
  void changed(const std::string& id);

 private:
  struct Kept {
    Json answer;
    std::string revision;
    Clock::time_point made;
    Clock::duration cost{};
    std::set<std::string> changed;  ///< ids, since it began to be made
    bool is_made = false;
    bool is_making = false;
  };

  static bool is_good(const Kept& kept, const std::string& revision, const std::string& list);
  static Json without_changed(const Kept& kept, const std::string& list);
  void make_room();

  std::mutex mutex_;
  std::condition_variable made_;
  std::map<std::string, std::shared_ptr<Kept>> answers_;  ///< by question
};

}  // namespace search_server
