#include "plugin/engine.h"

#include <atomic>
#include <functional>
#include <utility>

#include "gpu/document_set.h"
#include "plugin/classify/classifier.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/geometry_measurement.h"
#include "plugin/classify/label_search.h"
#include "plugin/classify/unit_voters.h"
#include "plugin/documents/analyzed_text.h"
#include "plugin/documents/stem_words.h"
#include "plugin/mirror/reading/surveys.h"
#include "plugin/query/pulse_source.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/related/related_search.h"
#include "plugin/search/search.h"
#include "plugin/snapshot/current_snapshot.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/follower_thread.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/database.h"
#include "plugin/store/database_walk.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/remembered.h"
#include "plugin/topics/document_placer.h"
#include "plugin/topics/map.h"
#include "plugin/topics/topic_shelf.h"
#include "plugin/topics/training.h"
#include "plugin/tune/tune.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {
namespace {

using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// The documents that match a filter; null without a filter.
using Filtered = std::shared_ptr<const DocumentSet>;

using UnitVotersPointer = std::shared_ptr<const UnitVoters>;

/// The metadata remember that there is a file of this name, where they may be written.
void remember(const std::string& path, const Settings& settings, const std::string& name) {
  try {
    check_may_write(path, settings);
  } catch (const Error&) {
    return;
  }
  remember_file(path, name, true);
}

Status status_of(const Snapshot& snapshot) {
  const Mirror& mirror = snapshot.mirror();
  Status status;
  status.documents = mirror.documents();
  status.terms = mirror.terms();
  status.nonzeros = mirror.nonzeros();
  status.labels = mirror.labels.order.size();
  status.labeled = mirror.labeled.count();
  static_cast<Origin&>(status) = mirror.origin();
  status.uuid = mirror.uuid;
  const BackendInfo info = snapshot.backend().info();
  status.backend = info.kind;
  status.device = info.device;
  status.bytes = snapshot.bytes();
  status.compute_capability = info.compute_capability;
  status.device_bytes = info.kind == "cpu" ? 0 : info.bytes;
  status.tagged = mirror.tags.tagged;
  status.pending = mirror.tags.pending;
  status.opted_out = mirror.tags.opted_out;
  status.rejected = mirror.tags.rejected;
  status.tuning = snapshot.voting().tuning();
  return status;
}

}  // namespace

struct Engine::Impl {
  Impl(std::string path, const Xapian::Database* opened, const Settings& s, Log l,
       ReadingProgress on_reading)
      : log(taking_turns(std::move(l))),
        database(std::move(path), opened, s),
        current_snapshot(database, log, std::move(on_reading)),
        topics(database.location()) {
    if (!database.path().empty() && log) {
      for (const std::string& lost : lost_files(database.kept(), database.location())) log(lost);
    }
    database.read("cannot read how it was analyzed",
                  [this](const Xapian::Database& now) { compare_analysis(now); });
    if (!other_versions.empty() && log) log(other_versions);
    if (settings().mirror.follow == "off" || database.path().empty()) return;
    follower.emplace(
        settings().mirror, [this] { current_snapshot.follow(); }, log);
  }
  ~Impl() {
    follower.reset();
    current_snapshot.close();
  }

  /// Fills what the status says of the analysis.
  void compare_analysis(const Xapian::Database& opened) {
    const auto recorded = recorded_analysis(opened);
    analysis_recorded = recorded.has_value();
    other_versions = recorded ? differing_versions(*recorded, analysis) : "";
  }

  const Settings& settings() const { return database.settings(); }
  Classifier classifier(const Snapshot& snapshot, const UnitVotersPointer& units) const {
    return {snapshot, settings().classify, units.get()};
  }
  ExampleContext context(const Snapshot& snapshot) {
    return {snapshot, settings(), database.analyzers()};
  }
  Filtered matching(const Snapshot& snapshot, const std::string& filter, const Pulse& pulse);
  /// Fills their topics, if there is a map.
  void fill_topics(const Snapshot& snapshot, const Pulse& pulse,
                   std::vector<StoredDocument>& documents);
  /// Fills the predicted tags of documents without labels.
  void predict_missing(const SnapshotPointer& snapshot, const Pulse& pulse,
                       std::vector<StoredDocument>& documents);
  /// The documents that the request allows to vote: those of its filter and, in the vote
  /// "prototype", the prototypes among them.
  Filtered voters(const Snapshot& snapshot, const ClassifyRequest& request);
  /// The voters on the map if the request asks for the vote "unit"; else null.
  UnitVotersPointer unit_voters(const SnapshotPointer& snapshot, const ClassifyRequest& request);
  /// Fills the titles of suspects and of their neighbors; a document is read once.
  void fill_titles(const Pulse& pulse, std::vector<Suspect>& suspects);
  /// Fills the titles of related documents; a document is read once.
  void fill_titles(const Pulse& pulse, std::span<RelatedResult> results);
  /// One classification per item, in one batch.
  template <typename Item>
  std::vector<Classification> classify_all(const SnapshotPointer& snapshot,
                                           std::span<const Item> items,
                                           const ClassifyRequest& request) {
    const UnitVotersPointer units = unit_voters(snapshot, request);
    ClassifyBatch batch(database, *snapshot, units.get());
    for (const Item& item : items) {
      request.pulse();
      batch.add(item);
    }
    return batch.classify(request, voters(*snapshot, request).get());
  }

  bool needs_tuning(const Snapshot& snapshot) const;

  const Log log;
  std::atomic<bool> has_told_of_map = false;  ///< that it is of another index
  std::atomic<bool> tuning_failed{false};
  MirroredDatabase database;
  const AnalysisRecord analysis = analysis_record(settings());
  bool analysis_recorded = false;
  std::string other_versions;
  CurrentSnapshot current_snapshot;
  TopicShelf topics;
  FacetShelf facets;
  UnitVotersCache unit_voters_cache;
  std::optional<FollowerThread> follower;
};

bool Engine::Impl::needs_tuning(const Snapshot& snapshot) const {
  constexpr std::uint64_t kLeastVoters = 50;
  const ClassifySettings &classify = settings().classify, defaults;
  const bool is_chosen = classify.vote != defaults.vote ||
                         classify.neighbors != defaults.neighbors ||
                         classify.min_confidence != defaults.min_confidence;
  if (!classify.auto_tune || !classify.use_tuning || is_chosen || tuning_failed) return false;
  const Mirror& mirror = snapshot.mirror();
  const std::uint64_t voters = mirror.labeled.count();
  if (voters < kLeastVoters || mirror.labels.order.size() < 2) return false;
  const Tuning* tuning = snapshot.voting().tuning().get();
  const bool has_grown = tuning != nullptr && tuning->automatic && voters >= 2 * tuning->voters;
  if (tuning != nullptr && !has_grown && !tuning->merged) return false;
  return !database.path().empty() && can_write_beside(database.location()) &&
         !is_kept_untuned(database.location());
}

Filtered Engine::Impl::matching(const Snapshot& snapshot, const std::string& filter,
                                const Pulse& pulse) {
  return filter.empty() ? nullptr : database.matching(snapshot, filter, pulse);
}

void Engine::Impl::fill_topics(const Snapshot& snapshot, const Pulse& pulse,
                               std::vector<StoredDocument>& documents) {
  std::shared_ptr<const TopicMap> map;
  try {
    map = topics.get(database.kept());
  } catch (const Error& e) {
    if (e.code() == Errc::kCorrupt) throw;
    const bool is_of_another_index = e.code() != Errc::kNotFound;
    if (is_of_another_index && log && !has_told_of_map.exchange(true)) log(e.what());
  }
  for (std::size_t i = 0; map != nullptr && i < documents.size(); ++i) {
    pulse();
    const TermBag features = example_features(context(snapshot), Docid{documents[i].docid});
    const std::uint32_t topic = map->place(features).topic;
    if (topic > 0) documents[i].topic = {topic, map->topics[topic - 1].name};
  }
}

void Engine::Impl::predict_missing(const SnapshotPointer& snapshot, const Pulse& pulse,
                                   std::vector<StoredDocument>& documents) {
  if (!settings().index.read_only || snapshot->mirror().labeled.count() == 0) return;
  std::vector<Example> examples;
  std::vector<StoredDocument*> without;
  for (StoredDocument& document : documents) {
    if (!document.labels.empty()) continue;
    examples.emplace_back(Docid{document.docid});
    without.push_back(&document);
  }
  ClassifyRequest request;
  request.pulse = pulse;
  const std::vector<Classification> found =
      classify_all(snapshot, std::span<const Example>(examples), request);
  for (std::size_t i = 0; i < found.size(); ++i) without[i]->predicted = found[i].tags;
}

Filtered Engine::Impl::voters(const Snapshot& snapshot, const ClassifyRequest& request) {
  const DecisionRule rule = decision_rule(request, settings().classify, snapshot.voting());
  if (rule.vote != VoteKind::kPrototype) return matching(snapshot, request.filter, request.pulse);
  Filtered prototypes =
      database.matching(snapshot, prototypes_of(request, settings().classify), request.pulse);
  if (request.filter.empty()) return prototypes;
  DocumentSet both = *prototypes;
  both &= *database.matching(snapshot, request.filter, request.pulse);
  return std::make_shared<const DocumentSet>(std::move(both));
}

UnitVotersPointer Engine::Impl::unit_voters(const SnapshotPointer& snapshot,
                                            const ClassifyRequest& request) {
  const DecisionRule rule = decision_rule(request, settings().classify, snapshot->voting());
  if (rule.vote != VoteKind::kUnit) return nullptr;
  return unit_voters_cache.get(snapshot, topics.get(database.kept()));
}

Engine::Engine(const std::string& database, const Settings& settings, Log log,
               ReadingProgress on_reading)
    : impl_(std::make_shared<Impl>(database, nullptr, settings, std::move(log),
                                   std::move(on_reading))) {}

Engine::Engine(const Xapian::Database& database, const Settings& settings, Log log)
    : impl_(std::make_shared<Impl>("", &database, settings, std::move(log), ReadingProgress())) {}

Engine::~Engine() = default;
Engine::Engine(Engine&& other) noexcept = default;

Engine::Engine(std::shared_ptr<Impl> impl, std::shared_ptr<const Snapshot> pinned)
    : impl_(std::move(impl)), pinned_(std::move(pinned)) {}

Engine Engine::pinned() const { return {impl_, snapshot()}; }

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  return pinned_ ? pinned_ : impl_->current_snapshot.get();
}

Origin Engine::origin() const { return snapshot()->mirror().origin(); }

RelatedResult Engine::related(const RelatedRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered allowed = impl_->matching(*snapshot, request.filter, request.pulse);
  RelatedResult result =
      find_related(impl_->context(*snapshot),
                   with_query_examples(impl_->database, *snapshot, request), allowed.get());
  if (request.titles) impl_->fill_titles(request.pulse, std::span(&result, 1));
  return result;
}

std::vector<RelatedResult> Engine::related_each(std::span<const Xapian::docid> docids,
                                                const RelatedRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered allowed = impl_->matching(*snapshot, request.filter, request.pulse);
  std::vector<RelatedResult> results =
      find_related_each(impl_->context(*snapshot), docids, request, allowed.get());
  if (request.titles) impl_->fill_titles(request.pulse, results);
  return results;
}

Neighborhood Engine::neighborhood(const RelatedRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered allowed = impl_->matching(*snapshot, request.filter, request.pulse);
  return find_neighborhood(impl_->context(*snapshot),
                           with_query_examples(impl_->database, *snapshot, request), allowed.get());
}

DuplicateReport Engine::duplicates(const DuplicatesRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered allowed = impl_->matching(*snapshot, request.filter, request.pulse);
  return find_duplicates(*snapshot, request, allowed.get());
}

std::vector<std::optional<NearDuplicate>> Engine::near_duplicates(
    std::span<const Xapian::docid> arrived, double threshold) const {
  return find_near_duplicates(*snapshot(), arrived, threshold);
}

Classification Engine::classify(const Example& example, const ClassifyRequest& request) const {
  return std::move(impl_->classify_all(snapshot(), std::span(&example, 1), request).front());
}

std::vector<Classification> Engine::classify(const std::vector<Record>& records,
                                             const ClassifyRequest& request) const {
  const std::vector<Example> examples(records.begin(), records.end());
  return impl_->classify_all(snapshot(), std::span(examples), request);
}

std::vector<Classification> Engine::classify(const std::vector<Example>& examples,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(snapshot(), std::span(examples), request);
}

std::vector<Classification> Engine::classify(const std::vector<AnalyzedRecord>& records,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(snapshot(), std::span(records), request);
}

std::vector<Classification> Engine::classify(const std::vector<MirroredDocument>& documents,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(snapshot(), std::span(documents), request);
}

ParsedQuery Engine::parse(const std::string& query, const QueryStyle& style) const {
  const SnapshotPointer snapshot = this->snapshot();
  const auto analyzer = impl_->database.analyzers().lease_for_query(query);
  return parse_query(query, snapshot->mirror().prefixes, settings(), *analyzer, style);
}

std::vector<Xapian::docid> Engine::matching(const std::string& query,
                                            const std::string& term) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered among = impl_->matching(*snapshot, query, {});
  return impl_->database.with_term(*snapshot, term, among.get());
}

MatchingDocuments Engine::matching(const MatchingRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered allowed = impl_->matching(*snapshot, request.query, request.pulse);
  MatchingDocuments found = list_matching(*snapshot, request, allowed.get());
  if (request.documents)
    found.documents =
        read_documents(impl_->database, *snapshot, found.docids, request.pulse).documents;
  if (request.predictions) {
    impl_->fill_topics(*snapshot, request.pulse, found.documents);
    impl_->predict_missing(snapshot, request.pulse, found.documents);
  }
  for (std::size_t i = 0; request.features && i < found.docids.size(); ++i) {
    request.pulse();
    found.features.push_back(example_features(impl_->context(*snapshot), Docid{found.docids[i]}));
  }
  return found;
}

StoredDocuments Engine::documents(const std::vector<Example>& examples, const Pulse& pulse) const {
  const SnapshotPointer snapshot = this->snapshot();
  std::vector<Xapian::docid> docids;
  docids.reserve(examples.size());
  for (const Example& example : examples)
    docids.push_back(kindred::docid_of(*snapshot, example, settings().index));
  StoredDocuments stored = read_documents(impl_->database, *snapshot, docids, pulse);
  impl_->fill_topics(*snapshot, pulse, stored.documents);
  return stored;
}

std::vector<std::string> Engine::words(const std::vector<std::string>& terms,
                                       const Pulse& pulse) const {
  const SnapshotPointer snapshot = this->snapshot();
  const auto read = [&](const Xapian::Database& database) {
    return words_of_terms(database, terms, snapshot->mirror().prefixes, impl_->database.analyzers(),
                          snapshot->words(), pulse);
  };
  return impl_->database.read("cannot read its words", read, pulse);
}

api::SearchAnswer Engine::search(const api::SearchRequest& request, const Pulse& pulse) const {
  const SnapshotPointer snapshot = this->snapshot();
  const SearchIndex index{snapshot, settings(), analyzers(), impl_->facets,
                          [this] { return topic_map(); }};

  api::SearchAnswer answer;
  impl_->database.read_latest("cannot search", [&](const Xapian::Database& database) {
    answer = where_sources_may(pulse, [&](const Pulse& matcher_pulse) {
      return kindred::search(index, database, request, pulse, matcher_pulse);
    });
    static_cast<Origin&>(answer) = {revision_of(database)};
  });
  return answer;
}

AnalyzerPool& Engine::analyzers() const { return impl_->database.analyzers(); }

std::vector<std::string> Engine::titles(std::span<const Xapian::docid> docids,
                                        const Pulse& pulse) const {
  return read_titles(impl_->database, docids, pulse);
}

AnalyzedText Engine::analyze(const std::string& text, const std::string& language) const {
  const SnapshotPointer snapshot = this->snapshot();
  return analyze_text(text, language, snapshot->mirror().prefixes, impl_->database.analyzers());
}

std::optional<Xapian::docid> Engine::docid_of(const std::string& id) const {
  const SnapshotPointer snapshot = this->snapshot();
  return find_document(*snapshot, id, settings().index);
}

std::string Engine::id_of(Xapian::docid docid) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Mirror& mirror = snapshot->mirror();
  const std::string id = mirror.has(docid) ? mirror.id_of(docid) : std::string();
  return id.empty() ? std::to_string(docid) : id;
}

api::GeometryAnswer Engine::class_geometry(const GeometryProgress& on_progress,
                                           const Pulse& pulse) const {
  return measure_class_geometry(*snapshot(), on_progress, pulse);
}

void Engine::Impl::fill_titles(const Pulse& pulse, std::vector<Suspect>& suspects) {
  Titles titles;
  for (const Suspect& suspect : suspects) {
    titles.add(suspect.docid);
    for (const Voter& voter : suspect.voters) titles.add(voter.docid);
  }
  titles.read(database, pulse);
  for (Suspect& suspect : suspects) {
    suspect.title = titles.of(suspect.docid);
    for (const Voter& voter : suspect.voters)
      suspect.voter_titles.push_back(titles.of(voter.docid));
  }
}

void Engine::Impl::fill_titles(const Pulse& pulse, std::span<RelatedResult> results) {
  Titles titles;
  for (const RelatedResult& result : results)
    for (const Related& related : result.results) titles.add(related.docid);
  titles.read(database, pulse);
  for (RelatedResult& result : results)
    for (Related& related : result.results) related.title = titles.of(related.docid);
}

SuspectReport Engine::suspects(const SuspectsRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  ClassifyRequest voting;
  voting.filter = request.filter;
  voting.pulse = request.pulse;
  const Filtered voters = impl_->voters(*snapshot, voting);
  const UnitVotersPointer units = impl_->unit_voters(snapshot, {});
  const Filtered asked = impl_->matching(*snapshot, request.query, request.pulse);
  SuspectReport report =
      find_suspects(impl_->database, *snapshot, impl_->classifier(*snapshot, units), request,
                    asked.get(), voters.get());
  impl_->fill_titles(request.pulse, report.missing.suspects);
  impl_->fill_titles(request.pulse, report.wrong.suspects);
  return report;
}

CandidateReport Engine::candidates(const CandidatesRequest& request) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered allowed = impl_->matching(*snapshot, request.filter, request.pulse);
  ClassifyRequest voting;
  voting.pulse = request.pulse;
  const Filtered voters = impl_->voters(*snapshot, voting);
  const UnitVotersPointer units = impl_->unit_voters(snapshot, {});
  return find_candidates(impl_->database, *snapshot, impl_->classifier(*snapshot, units), request,
                         allowed.get(), voters.get());
}

void Engine::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                            const OnClassified& on_classified) const {
  const SnapshotPointer snapshot = this->snapshot();
  const Filtered voters = impl_->voters(*snapshot, request);
  const UnitVotersPointer units = impl_->unit_voters(snapshot, request);
  impl_->classifier(*snapshot, units).cross_validate(how, request, voters.get(), on_classified);
}

TuneReport Engine::tune(const TuneRequest& request, const OnTuning& on_tuning) const {
  const SnapshotPointer snapshot = this->snapshot();
  DocumentSet voters = snapshot->mirror().labeled;
  if (!request.filter.empty()) voters &= *impl_->database.matching(*snapshot, request.filter);
  std::vector<std::vector<Xapian::docid>> groups;
  for (const std::string& prefix : request.groups) {
    auto found = impl_->database.groups(prefix);
    std::move(found.begin(), found.end(), std::back_inserter(groups));
  }
  return kindred::tune(*snapshot, impl_->settings(), voters, groups, request, on_tuning);
}

std::string Engine::tuning_unused() const {
  const SnapshotPointer snapshot = this->snapshot();
  return snapshot->unused_tuning().why;
}

bool Engine::needs_tuning() const { return impl_->needs_tuning(*snapshot()); }

std::optional<TuneReport> Engine::tune_if_needed(const OnTuning& on_tuning) {
  if (!needs_tuning()) return std::nullopt;
  try {
    // One that is due because labels became one keeps what it was asked for.
    const auto before = snapshot()->voting().tuning();
    TuneRequest request;
    if (before) request.filter = before->filter;
    TuneReport report = tune(request, on_tuning);
    report.tuning.automatic = !before || before->automatic;
    write_tuning(location(), report.tuning);
    refresh();
    return report;
  } catch (const Error& e) {
    if (e.code() == Errc::kCanceled) throw;
    impl_->tuning_failed = true;
    if (impl_->log) impl_->log(path() + ": tags are given without a tuning: " + e.what());
    return std::nullopt;
  }
}

std::vector<std::string> Engine::labels() const {
  const SnapshotPointer snapshot = this->snapshot();
  const LabelTable& labels = snapshot->mirror().labels;
  std::vector<std::string> names;
  for (const std::uint32_t label : labels.order) names.emplace_back(labels.names[label]);
  return names;
}

LabelCounts Engine::label_counts(const Pulse& pulse) const {
  const auto count = [&](const Xapian::Database& database) {
    return LabelCounts{{revision_of(database)}, survey_labels(database, settings().labels, pulse)};
  };
  return impl_->database.read("cannot read its labels", count, pulse);
}

std::shared_ptr<const TopicMap> Engine::train_topics(const TrainTopicsRequest& request,
                                                     const TopicsProgress& progress,
                                                     SomExchange* others) {
  check_owner_of_files(path(), settings());
  const SnapshotPointer snapshot = this->snapshot();
  const auto earlier = request.resume ? impl_->topics.get(impl_->database.kept())
                                      : std::shared_ptr<const TopicMap>();
  const WithDatabase with_database =
      [this](const std::function<void(const Xapian::Database&)>& body) {
        impl_->database.read("cannot name the topics", body);
      };
  auto map = train_topic_map({.snapshot = *snapshot,
                              .settings = impl_->settings(),
                              .request = request,
                              .earlier = earlier.get(),
                              .analyzers = impl_->database.analyzers(),
                              .with_database = with_database,
                              .progress = progress,
                              .log = impl_->log,
                              .others = others});
  if (map == nullptr) return map;
  impl_->topics.put(map);
  if (!path().empty()) remember(path(), settings(), "som");
  remember_given(settings(), location());
  return map;
}

std::shared_ptr<const TopicMap> Engine::topic_map() const {
  return impl_->topics.get(impl_->database.kept());
}

std::vector<TopicDocument> Engine::describe(std::vector<TopicDocument> documents,
                                            const Pulse& pulse) const {
  const SnapshotPointer snapshot = this->snapshot();
  std::erase_if(documents, [&](const auto& each) { return !snapshot->mirror().has(each.docid); });
  std::vector<Xapian::docid> docids;
  for (const TopicDocument& document : documents) docids.push_back(document.docid);
  std::vector<std::string> titles = read_titles(impl_->database, docids, pulse);

  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = snapshot->mirror().id_of(docids[i]);
    documents[i].title = std::move(titles[i]);
  }
  return documents;
}

TopicPlacement Engine::topic_of(const Example& example) const {
  return topic_of(example, *topic_map());
}

TopicPlacement Engine::topic_of(const Example& example, const TopicMap& map) const {
  const SnapshotPointer snapshot = this->snapshot();
  return map.place(example_features(impl_->context(*snapshot), example));
}

PlacedDocuments Engine::placed_documents(std::span<const Xapian::docid> docids,
                                         const Pulse& pulse) const {
  const SnapshotPointer snapshot = this->snapshot();
  std::vector<Xapian::docid> known(docids.begin(), docids.end());
  std::erase_if(known, [&](Xapian::docid docid) { return !snapshot->mirror().has(docid); });
  PlacedDocuments placed;
  placed.map = impl_->topics.get(impl_->database.kept());
  static_cast<Origin&>(placed) = snapshot->mirror().origin();
  placed.documents =
      place_documents(snapshot->mirror(), *placed.map, known, snapshot->voting().threads(), pulse);
  return placed;
}

bool Engine::refresh() { return impl_->current_snapshot.refresh(); }

bool Engine::refresh(std::span<const Xapian::docid> changed) {
  return impl_->current_snapshot.refresh(changed);
}

bool Engine::refreshes_in_proportion() const { return impl_->current_snapshot.is_followed(); }

SaveMirrorAnswer Engine::save_mirror() const { return impl_->current_snapshot.save(); }

Status Engine::status() const {
  const SnapshotPointer snapshot = this->snapshot();
  Status status = status_of(*snapshot);
  status.profile = impl_->settings().index.profile;
  status.remembered = impl_->settings().remembered;
  status.analysis = impl_->analysis;
  status.analysis_recorded = impl_->analysis_recorded;
  status.other_versions = impl_->other_versions;
  status.tuning_due = impl_->needs_tuning(*snapshot);
  status.tuning_unused = snapshot->unused_tuning().why;
  status.bytes += impl_->unit_voters_cache.bytes(snapshot);
  return status;
}

std::vector<PrefixCount> Engine::prefixes(const Pulse& pulse) const {
  const SnapshotPointer snapshot = this->snapshot();
  const auto survey = [&](const Xapian::Database& database) {
    std::vector<Xapian::Database> shards;
    if (!path().empty()) shards = open_shards(path());
    if (shards.empty()) shards = {database};
    return survey_prefixes(shards, snapshot->mirror(), pulse);
  };
  return impl_->database.read("cannot read its prefixes", survey, pulse);
}

SettingsGuess Engine::guess_settings(const std::vector<PrefixCount>& prefixes) const {
  const SnapshotPointer snapshot = this->snapshot();
  const auto guess = [&](const Xapian::Database& database) {
    return kindred::guess_settings(database, snapshot->mirror(), prefixes);
  };
  return impl_->database.read("cannot read its prefixes", guess);
}

const Settings& Engine::settings() const { return impl_->settings(); }

const std::string& Engine::location() const { return impl_->database.location(); }

std::string Engine::store_tuning(const Tuning& tuning) {
  if (path().empty())
    throw Error(Errc::kUnsupported, "a tuning is stored beside a database that has a path");
  check_owner_of_files(path(), settings());
  write_tuning(location(), tuning);
  remember_given(settings(), location());
  remember(path(), settings(), "tuning");
  return tuning_path(location());
}

const std::string& Engine::path() const { return impl_->database.path(); }

}  // namespace kindred
