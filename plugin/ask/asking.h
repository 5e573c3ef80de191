#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"
#include "plugin/ask/question_functions.h"
#include "plugin/questions.h"
#include "plugin/reading.h"
#include "plugin/requests.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/tagging.h"

namespace kindred {

/// A question while it is answered. What takes long calls `pulse`, in its own loops or by handing
/// it to the engine, so that steps are reported every 20 ms or so, and the caller can cancel.
struct Asking {
  const AskedIndex& index;
  std::string question;
  AskStep latest = {};                 ///< that was reported
  Pulse pulse = {};                    ///< reports it again
  bool is_answered_elsewhere = false;  ///< set by answer(): another process has the answer

  /// The pulse refers to it.
  Asking(const AskedIndex& asked, std::string name);
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  /// The engine, for what changes its index.
  Engine& engine() const { return index.engine(); }

  /// The index as it was at the first call: all parts of an answer are from one snapshot.
  const Reading& reading();

  /// The names of labels; null if the index has none. The index is not opened to find that out.
  const Vocabulary* vocabulary();

  /// An answer from that snapshot, to be filled.
  template <typename Answer>
  Answer answer() {
    Answer answer;
    static_cast<Origin&>(answer) = reading().origin();
    return answer;
  }

  /// Reports a step. @throws Error kCanceled if the caller cancels.
  void step(const AskStep& step);

  /// The same as a callback that counts documents; empty if nobody listens.
  std::function<bool(std::uint64_t done, std::uint64_t all)> counting();

  /// The same as the callback of what tunes and learns.
  OnTuning learning() {
    return [this](const std::string& doing, std::uint64_t done, std::uint64_t all) {
      step({doing, done, all});
    };
  }

  /// The same as the callback of a run that writes.
  std::function<void(const RunReport&)> running() {
    return [this](const RunReport& run) {
      step({"", run.continued + run.examined, run.matched});
    };
  }

 private:
  std::optional<Reading> reading_;
};

/// How the vote is taken.
KINDRED_API ClassifyRequest voting_request(const api::Voting& asked);

/// The same by the keys that a request has of it.
KINDRED_API ClassifyRequest voting_request(const Json& request);

/// As answers have them.
KINDRED_API Json tags_json(const std::vector<Tag>& tags);

}  // namespace kindred
