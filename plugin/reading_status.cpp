#include "plugin/reading.h"

#include "plugin/index_state.h"
#include "plugin/mirror/reading/surveys.h"
#include "plugin/snapshot/neighbor_lift.h"
#include "plugin/store/database_walk.h"

namespace kindred {
namespace {

/// What weighs terms for related documents, as the status says it.
const char* related_by(const Snapshot& snapshot) {
  if (snapshot.voting().tuning() != nullptr) return "tuning";
  if (snapshot.lift() == nullptr) return "smart";
  return snapshot.lift()->by_idf ? "idf" : "lift";
}

}  // namespace

api::StatusAnswer Reading::status() const {
  api::StatusAnswer status;
  static_cast<Origin&>(status) = origin();
  status.documents = mirror().documents();
  status.terms = mirror().terms();
  if (snapshot->vocabulary()) status.vocabulary_terms = snapshot->vocabulary()->size();
  status.nonzeros = mirror().nonzeros();
  status.labels = mirror().labels.order.size();
  status.labeled = mirror().labeled.count();
  status.tagged = mirror().tags.tagged;
  status.pending = mirror().tags.pending;
  status.opted_out = mirror().tags.opted_out;
  status.rejected = mirror().tags.rejected;
  status.uuid = mirror().uuid;

  const BackendInfo info = snapshot->backend().info();
  status.backend = info.kind;
  status.device = info.device;
  status.bytes = snapshot->bytes();
  if (const auto voters = index->unit_voters.get_if_made(snapshot)) status.bytes += voters->bytes();
  if (const auto voters = index->few_labels.get_if_made(snapshot)) status.bytes += voters->bytes();
  if (const auto terms = index->term_mirror.get_if_made(snapshot)) status.bytes += terms->bytes();
  status.compute_capability = info.compute_capability;
  status.device_bytes = info.kind == "cpu" ? 0 : info.bytes;

  if (const auto tuning = snapshot->voting().tuning()) status.tuning = used_tuning(*tuning);
  status.tuning_due = needs_tuning();
  status.tuning_unused = snapshot->unused_tuning().why;

  if (snapshot->lift()) status.lift_documents = snapshot->lift()->documents;
  status.related_by = related_by(*snapshot);

  status.profile = settings().index.profile;
  status.remembered = settings().remembered;

  const AnalysisRecord& analysis = index->analysis;
  status.analysis.recorded = index->analysis_recorded;
  status.analysis.rules.assign(analysis.rules.begin(), analysis.rules.end());
  status.analysis.versions.assign(analysis.versions.begin(), analysis.versions.end());
  status.analysis.other_versions = index->other_versions;
  return status;
}

std::vector<PrefixCount> Reading::prefixes(const Pulse& pulse) const {
  const auto survey = [&](const Xapian::Database& opened) {
    std::vector<Xapian::Database> shards;
    if (!database().path().empty()) shards = open_shards(database().path());
    if (shards.empty()) shards = {opened};
    return survey_prefixes(shards, mirror(), pulse);
  };
  return database().read("cannot read its prefixes", survey, pulse);
}

SettingsGuess Reading::guess_settings(const std::vector<PrefixCount>& prefixes) const {
  const auto guess = [&](const Xapian::Database& opened) {
    return kindred::guess_settings(opened, mirror(), prefixes, settings().index.profile);
  };
  return database().read("cannot read its prefixes", guess);
}

}  // namespace kindred
