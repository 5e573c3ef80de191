#include "plugin/writing/wave_tagger.h"

#include <algorithm>
#include <exception>

#include "gpu/workers.h"
#include "plugin/classify/classify_batch.h"
#include "plugin/reading.h"
#include "plugin/store/database.h"
#include "plugin/tune/tune_report.h"

namespace kindred {
namespace {

constexpr std::uint64_t kRefreshPart = 8;  // of the labeled documents; see next_step()

std::uint64_t unwritten_labeled(const Wave& wave) {
  const auto is_such = [](const Arrival& each) {
    return each.labeled && each.docid == 0;
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(wave.arrivals, is_such));
}

}  // namespace

void Arrival::mark_pending(const std::string& reason) {
  tags.pending = true;
  report.pending = true;
  report.reason = reason;
}

VoterStep next_step(const VoterCounts& counts) {
  if (!counts.asks) return VoterStep::kNone;

  // An engine that has not read the index yet reads it with the first commit.
  if (!counts.is_ready) return VoterStep::kCommit;

  // Labeled documents of the wave itself can only vote once they are written.
  if (counts.voters == 0 && counts.own > 0) return VoterStep::kWriteLabeled;

  // So many labeled documents are missing that the vote would be another one with them.
  if (counts.lacking > 0 && counts.lacking * kRefreshPart >= counts.voters)
    return VoterStep::kCommit;

  // Else the engine refreshes where that takes no longer than the change is worth.
  if (counts.committed && counts.in_proportion) return VoterStep::kRefresh;
  return VoterStep::kNone;
}

WaveTagger::WaveTagger(const std::string& path, const Settings& settings, std::size_t threads,
                       const IngestOptions& options, Engine* shared)
    : path_(path),
      settings_(settings),
      threads_(threads),
      options_(options),
      engine_(shared),
      is_ready_(shared != nullptr) {}

bool WaveTagger::asks(const Wave& wave) const {
  return options_.tag && std::ranges::any_of(wave.arrivals, &Arrival::wants_tags);
}

VoterCounts WaveTagger::counts(const Wave& wave, const Wave& before) const {
  // Without an engine that is ready, nothing else is known.
  if (!asks(wave) || !is_ready_) return {asks(wave)};
  return {true,
          true,
          engine_->status().labeled,
          lacking_ + unwritten_labeled(before),
          unwritten_labeled(wave),
          committed_,
          engine_->refreshes_in_proportion()};
}

void WaveTagger::committed() {
  committed_ = true;
  uncommitted_ = 0;
}

Engine& WaveTagger::refreshed_engine() {
  if (engine_ == nullptr) {
    own_engine_ = std::make_unique<Engine>(path_, settings_, options_.log);
    engine_ = own_engine_.get();
  } else {
    engine_->refresh();
  }
  return *engine_;
}

bool WaveTagger::refresh() {
  // A fault is that of one wave: the next one tries again.
  try {
    refreshed_engine();
  } catch (...) {
    fault_ = reason_in_flight();
    return false;
  }

  // What was committed is known now; what is not committed is still lacking.
  is_ready_ = true;
  committed_ = false;
  lacking_ = uncommitted_;
  return true;
}

/// Why the next wave cannot be classified; "" if it can.
std::string WaveTagger::find_fault() {
  if (!fault_.empty()) return std::exchange(fault_, "");

  // Neither of these stops the ingest: what cannot be tagged is indexed untagged, or not, as the
  // settings say.
  if (engine_->status().labeled == 0) return "no document has a label, so there are no voters";
  try {
    if (options_.tune) engine_->tune_if_needed();
  } catch (...) {
    return reason_in_flight();
  }
  return "";
}

std::future<Wave> WaveTagger::tag(Wave wave) {
  // Found out in the caller's thread, since a tuning may have to be made first.
  std::string fault;
  if (asks(wave)) fault = find_fault();
  const bool classifies = asks(wave) && fault.empty();
  if (!fault.empty()) leave_untagged(wave, fault);

  return run_beside(classifies ? threads_ : 1,
                    [this, classifies, wave = std::move(wave)]() mutable {
                      if (classifies) classify(wave);
                      return std::move(wave);
                    });
}

void WaveTagger::classify(Wave& wave) const {
  // Features are moved, not copied: nothing needs them after this.
  std::vector<AnalyzedRecord> records;
  for (Arrival& arrival : wave.arrivals) {
    if (arrival.wants_tags())
      records.push_back({arrival.report.id, std::move(arrival.features), arrival.tags.limits});
  }

  std::vector<Classification> results;
  try {
    ClassifyRequest request;
    request.suggest = engine_->settings().classify.write_suggestions;
    results = Reading(*engine_).classify(records, request);
  } catch (...) {
    return leave_untagged(wave, reason_in_flight());
  }

  // Answers come in the order of the records, which leave out those that want no tags.
  auto result = results.begin();
  for (Arrival& arrival : wave.arrivals) {
    if (!arrival.wants_tags()) continue;
    Classification& classification = *result;
    ++result;
    predict(arrival.tags, classification, settings_.labels);
    arrival.report.tags = std::move(classification.tags);
  }
}

/// What becomes of the documents of the wave that could not be classified.
void WaveTagger::leave_untagged(Wave& wave, const std::string& reason) const {
  const bool indexed = settings_.ingest.on_failure == "index_untagged";
  for (Arrival& arrival : wave.arrivals) {
    if (!arrival.wants_tags()) continue;
    if (indexed) {
      arrival.mark_pending(reason);
    } else {
      arrival.report.reason = "cannot be classified: " + reason;
    }
  }

  if (options_.log) {
    const std::string what = indexed ? "left untagged: " : "not indexed: ";
    options_.log(path_ + ": documents are " + what + reason);
  }
}

}  // namespace kindred
