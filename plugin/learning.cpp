#include "plugin/learning.h"

#include <cstdint>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/index_state.h"
#include "plugin/related/few_labels.h"
#include "plugin/related/lift_learning.h"
#include "plugin/snapshot/neighbor_lift.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/remembered.h"
#include "plugin/store/writable_database.h"
#include "plugin/tune/suggestion_fit.h"
#include "plugin/tune/tune.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {
namespace {

/// Of an index whose learned weights cannot be kept: how many entries it may have so that they are
/// learned in less than a second.
constexpr std::uint64_t kMostWithoutFile = 500'000;

/// True if a question may keep what it learned beside the index: never in the folder of an index of
/// another program, nor as another user than its owner.
bool may_store_lift(const Reading& reading) {
  const MirroredDatabase& database = reading.database();
  const Settings& settings = reading.settings();
  if (database.path().empty() || !can_write_beside(database.location())) return false;
  if (settings.index.read_only && settings.index.directory.empty()) return false;
  try {
    check_owner_of_files(database.path(), settings);
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// True if learned weights are lacking, or if the index has doubled since.
bool needs_lift(const Reading& reading, LiftFor whom) {
  const WeightingSettings& weighting = reading.settings().weighting;
  const bool is_chosen = weighting.smart != WeightingSettings().smart;
  if (!weighting.lift || is_chosen || reading.index->lift_failed) return false;

  // For related documents a tuning knows better; and few documents tell too little.
  const bool is_tuned = reading.snapshot->voting().tuning() != nullptr;
  if (whom == LiftFor::kRelated && is_tuned) return false;
  const std::uint64_t documents = reading.mirror().documents();
  if (documents < kFewestForLift) return false;
  const NeighborLift* const lift = reading.snapshot->lift().get();
  if (lift != nullptr && documents < 2 * lift->documents) return false;

  return may_store_lift(reading) || reading.mirror().nonzeros() <= kMostWithoutFile;
}

/// The reading of what is current after the weights are learned that tags of few labels need.
Reading with_lift(const Reading& reading, const OnTuning& on_tuning) {
  Reading now = reading;
  if (learn_lift_if_needed(reading, LiftFor::kTags, on_tuning))
    now.snapshot = reading.index->current_snapshot.get();
  return now;
}

/// Who votes in a tuning.
DocumentSet voters_of(const Reading& reading, const TuneRequest& request) {
  DocumentSet voters = reading.mirror().labeled;
  if (const auto among = reading.allowed(request.filter)) voters &= *among;
  return voters;
}

}  // namespace

bool tunes_by_few(const Reading& reading, const TuneRequest& request) {
  const std::size_t voters = voters_of(reading, request).count();
  return voters > 0 && voters <= FewLabels::kMostVoters;
}

TuneReport tune(const Reading& earlier, const TuneRequest& request, const OnTuning& on_tuning) {
  const Reading reading = tunes_by_few(earlier, request) ? with_lift(earlier, {}) : earlier;
  MirroredDatabase& database = reading.database();

  std::vector<std::vector<Xapian::docid>> groups;
  for (const std::string& prefix : request.groups) {
    auto found = database.groups(prefix);
    std::move(found.begin(), found.end(), std::back_inserter(groups));
  }

  const DocumentSet voters = voters_of(reading, request);
  const auto terms = reading.term_mirror();
  TuneReport report =
      tune(*reading.snapshot, reading.settings(), voters, groups, request, on_tuning, terms.get());
  if (terms) report.tuning.suggestions = fit_suggestions(*reading.snapshot, *terms, voters);
  return report;
}

std::optional<TuneReport> tune_if_needed(const Reading& earlier, const OnTuning& on_tuning) {
  // One that is due because labels became one keeps what it was asked for.
  const auto before = earlier.snapshot->voting().tuning();
  TuneRequest request;
  if (before) {
    request.filter = before->filter;
    request.goal = before->goal;
  }

  // Few labels need the weights, whether or not they are tuned.
  const bool is_due = earlier.needs_tuning();
  Reading reading = earlier;
  if (earlier.hears_few({}) || (is_due && tunes_by_few(earlier, request)))
    reading = with_lift(earlier, on_tuning);
  if (!is_due) return std::nullopt;

  IndexState& index = *reading.index;
  try {
    TuneReport report = tune(reading, request, on_tuning);
    report.tuning.automatic = !before || before->automatic;
    write_tuning(index.database.location(), report.tuning);
    index.current_snapshot.refresh();
    return report;
  } catch (const Error& e) {
    if (e.code() == Errc::kCanceled) throw;
    index.tuning_failed = true;
    if (index.log)
      index.log(index.database.path() + ": tags are given without a tuning: " + e.what());
    return std::nullopt;
  }
}

bool learn_lift_if_needed(const Reading& reading, LiftFor whom, const OnTuning& on_tuning) {
  if (!needs_lift(reading, whom)) return false;

  // Another question may have learned them since, or be at it.
  IndexState& index = *reading.index;
  const std::unique_lock only(index.learning_lift, std::try_to_lock);
  if (!only) return false;
  Reading now = reading;
  now.snapshot = index.current_snapshot.get();
  if (!needs_lift(now, whom)) return false;

  try {
    NeighborLift lift = learn_lift(*now.snapshot, now.settings().weighting.smart, on_tuning);
    if (may_store_lift(now)) {
      write_lift(index.database.location(), lift);
      index.current_snapshot.refresh();
    } else {
      index.current_snapshot.use_lift(std::move(lift));
    }
    return true;
  } catch (const Error& e) {
    if (e.code() == Errc::kCanceled) throw;
    index.lift_failed = true;
    if (index.log)
      index.log(index.database.name() + ": answers are given without learned weights: " + e.what());
    return false;
  }
}

void remember_kept(const Reading& reading, const std::string& name) {
  const std::string& path = reading.database().path();
  try {
    check_may_write(path, reading.settings());
  } catch (const Error&) {
    return;
  }
  if (remember_file(path, name, true)) reading.index->current_snapshot.save_again();
}

std::string store_tuning(const Reading& reading, const Tuning& tuning) {
  const MirroredDatabase& database = reading.database();
  if (database.path().empty())
    throw Error(Errc::kUnsupported, "a tuning is stored beside a database that has a path");
  check_owner_of_files(database.path(), database.settings());

  write_tuning(database.location(), tuning);
  remember_given(database.settings(), database.location());
  remember_kept(reading, "tuning");
  return tuning_path(database.location());
}

std::shared_ptr<const TopicMap> train_topics(const Reading& reading,
                                             const TrainTopicsRequest& request,
                                             const SomProgress& progress, SomExchange* others) {
  MirroredDatabase& database = reading.database();
  check_owner_of_files(database.path(), database.settings());
  const auto earlier = request.resume ? reading.topic_map() : std::shared_ptr<const TopicMap>();
  const WithDatabase with_database = [&](const std::function<void(const Xapian::Database&)>& body) {
    database.read("cannot name the topics", body);
  };

  auto map = train_topic_map({.snapshot = *reading.snapshot,
                              .settings = database.settings(),
                              .request = request,
                              .earlier = earlier.get(),
                              .analyzers = database.analyzers(),
                              .with_database = with_database,
                              .progress = progress,
                              .log = reading.index->log,
                              .others = others});
  if (map == nullptr) return map;  // another process has it

  reading.index->topics.put(map);
  if (!database.path().empty()) remember_kept(reading, "som");
  remember_given(database.settings(), database.location());
  return map;
}

}  // namespace kindred
