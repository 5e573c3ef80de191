#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/answers.h"
#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/tagging.h"

namespace kindred {

/// Sets a member from a key, if the request has it.
template <typename T>
void read_key(const Json& request, const char* key, T& value) {
  const auto found = request.find(key);
  if (found == request.end()) return;
  if constexpr (requires { value.emplace(); }) {
    value = found->template get<typename T::value_type>();
  } else {
    value = found->template get<T>();
  }
}

/// A question while it is answered. What takes long calls `pulse`, in its own loops or by handing
/// it to the engine, so that steps are reported every 20 ms or so, and the caller can cancel.
struct Asking {
  const AskedIndex& index;
  std::string question;
  Json request;         ///< as it is understood
  Origin origin = {};   ///< of the answer
  AskStep latest = {};  ///< that was reported
  Pulse pulse = {};     ///< reports it again

  /// The pulse refers to it.
  Asking(const AskedIndex& asked, std::string name, Json understood);
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  /// The engine, for what changes its index.
  Engine& engine() const { return index.engine(); }

  /// The engine as it was at the first call: all parts of an answer are from one snapshot, which is
  /// its origin.
  Engine& reading();

  template <typename T>
  void read(const char* key, T& value) const {
    read_key(request, key, value);
  }
  bool flag(const char* key) const { return request.at(key).get<bool>(); }
  std::string text(const char* key) const { return request.value(key, std::string()); }

  /// The documents, texts and records of a key. `bytes`: names in them.
  std::vector<Example> examples(const char* key) const;

  /// Reports a step. @throws Error kCanceled if the caller cancels.
  void step(const AskStep& step);

  /// The same as a callback that counts documents; empty if nobody listens.
  std::function<bool(std::uint64_t done, std::uint64_t all)> counting();

  /// The same as the callback of a run that writes.
  std::function<void(const RunReport&)> running() {
    return [this](const RunReport& run) { step({"", run.continued + run.examined, run.matched}); };
  }

 private:
  std::optional<Engine> reading_;
};

/// Names that the request has in the form of written_name().
std::vector<std::string> read_names(const Json& list);

/// How the vote is taken, by the keys that classify and evaluate share.
KINDRED_API ClassifyRequest classify_request(const Json& request);

/// What make(item) returns for each item, as a list.
template <typename Items, typename Make>
Json list_of(const Items& items, Make&& make) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(make(item));
  return list;
}

/// Parts of several answers.
Json names_json(const std::vector<std::string>& names);
/// Shares of a vote add up to 1 only as well as rounding lets them.
Json confidence_json(double confidence);
Json tag_json(const Tag& tag);
KINDRED_API Json tags_json(const std::vector<Tag>& tags);
Json terms_json(const std::vector<TermContribution>& terms);
Json reasons_json(const std::vector<TagReason>& reasons, const std::vector<Voter>& neighbors);
/// `titles`: of the neighbors, or empty.
Json neighbors_json(const std::vector<Voter>& neighbors, const std::vector<std::string>& titles);
/// With the sizes of its tables by term and label instead of the tables.
Json tuning_json(const Tuning& tuning);

/// Says in an answer why the tuning that the index has was not used, if it was not.
void add_unused_tuning(Asking& asking, Json& answer);

/// What every run that writes counts.
inline void add_run(const RunReport& report, Json& answer) {
  answer.update({{"matched", report.matched},
                 {"continued", report.continued},
                 {"examined", report.examined},
                 {"gone", report.gone},
                 {"written", report.written}});
}

/// A number; null for what JSON has no number for.
Json number_json(double value);

/// Each answers the question of its name: the keys of its answer, without the envelope.
Json answer_related(Asking& asking);
Json answer_classify(Asking& asking);
Json answer_candidates(Asking& asking);
Json answer_suspects(Asking& asking);
Json answer_duplicates(Asking& asking);
Json answer_evaluate(Asking& asking);
Json answer_geometry(Asking& asking);
Json answer_topics(Asking& asking);
Json answer_topic_of(Asking& asking);
Json answer_map(Asking& asking);
Json answer_documents(Asking& asking);
Json answer_matching(Asking& asking);
Json answer_search(Asking& asking);
Json answer_labels(Asking& asking);
Json answer_analyze(Asking& asking);
Json answer_status(Asking& asking);
Json answer_settings(Asking& asking);
Json answer_tune(Asking& asking);
Json answer_train_topics(Asking& asking);
Json answer_assign_topics(Asking& asking);
Json answer_tag(Asking& asking);
Json answer_edit(Asking& asking);
Json answer_edit_label(Asking& asking);
Json answer_delete(Asking& asking);
Json answer_store_related(Asking& asking);
Json answer_save_mirror(Asking& asking);
Json answer_export(Asking& asking);

}  // namespace kindred
