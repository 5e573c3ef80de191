#include "plugin/engine.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "plugin/classifier.h"
#include "plugin/cross_validation.h"
#include "plugin/database.h"
#include "plugin/example_query.h"
#include "plugin/geometry_measurement.h"
#include "plugin/mirrored_database.h"
#include "plugin/related_search.h"
#include "plugin/snapshot.h"
#include "plugin/suspect_search.h"
#include "plugin/tagging_rule.h"
#include "plugin/topic_places.h"
#include "plugin/topic_shelf.h"
#include "plugin/topic_training.h"
#include "plugin/tune.h"
#include "plugin/unit_voters_cache.h"

namespace kindred {
namespace {

using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// A filter's rows, or "no filter".
class Allowed {
 public:
  Allowed() = default;
  explicit Allowed(std::vector<std::uint64_t> bits) : bits_(std::move(bits)), view_(bits_) {}
  Allowed(const Allowed&) = delete;
  Allowed& operator=(const Allowed&) = delete;
  const RowBits* rows() const { return view_ ? &*view_ : nullptr; }

 private:
  std::vector<std::uint64_t> bits_;
  std::optional<RowBits> view_;
};

using UnitVotersPointer = std::shared_ptr<const UnitVoters>;

/// What a batch is asked about, one of each a query.
struct Asked {
  Queries queries;
  std::vector<std::uint32_t> own;  ///< the rows that may not vote
  std::vector<TagLimits> limits;
  std::vector<std::uint32_t> units;  ///< where they lie on the map; only if there are voters
  UnitVotersPointer voters;          ///< of the vote "unit", else null
};

}  // namespace

struct Engine::Impl {
  Impl(std::string path, const Xapian::Database& opened, const Settings& s, Log l)
      : log(l), database(std::move(path), opened, s, std::move(l)), topics(database.path()) {}

  const Settings& settings() const { return database.settings(); }
  ExampleContext context(const Snapshot& frozen, bool for_tags = false) {
    return {frozen, settings(), database.analyzers(), for_tags};
  }

  SnapshotPointer current() const {
    const std::lock_guard lock(snapshot_mutex);
    return snapshot;
  }
  void swap_in(SnapshotPointer fresh);
  Allowed allowed_by(const Snapshot& frozen, const std::string& filter);
  Allowed allowed_by(const Snapshot& frozen, const ClassifyRequest& request);
  /// Who votes by the map, if that is what is asked for; else null.
  UnitVotersPointer unit_voters(const SnapshotPointer& frozen, const ClassifyRequest& request);
  void add(const Snapshot& frozen, const Example& example, Asked& asked);
  void add(const Snapshot& frozen, const AnalyzedRecord& record, Asked& asked);
  void add(const Snapshot& frozen, const MirroredDocument& document, Asked& asked);
  /// One classification an item, by one batch.
  template <typename Item>
  std::vector<Classification> classify_all(std::span<const Item> items,
                                           const ClassifyRequest& request) {
    const SnapshotPointer frozen = current();
    Asked asked;
    asked.voters = unit_voters(frozen, request);
    for (const Item& item : items) add(*frozen, item, asked);
    const Allowed allowed = allowed_by(*frozen, request);
    return Classifier(*frozen, settings().classify, asked.voters.get())
        .classify(asked.queries, request, asked.own, allowed.rows(), asked.limits, asked.units);
  }

  const Log log;
  MirroredDatabase database;
  mutable std::mutex snapshot_mutex;  ///< held to copy or swap the pointer only
  SnapshotPointer snapshot;
  std::mutex refresh_mutex;  ///< one refresh at a time
  TopicShelf topics;
  UnitVotersCache unit_voters_cache;
};

void Engine::Impl::swap_in(SnapshotPointer fresh) {
  if (log) {
    const std::string& path = database.path();
    log((path.empty() ? "the database" : path) + ": mirrored revision " +
        std::to_string(fresh->mirror().revision) + ", " +
        std::to_string(fresh->mirror().docids.size()) + " documents, on " +
        fresh->backend().info().device);
  }
  const std::lock_guard lock(snapshot_mutex);
  snapshot.swap(fresh);
}

Allowed Engine::Impl::allowed_by(const Snapshot& frozen, const std::string& filter) {
  return filter.empty() ? Allowed() : Allowed(database.matching(frozen, filter));
}

/// Who may vote: the request's filter, and the prototypes if only they do.
Allowed Engine::Impl::allowed_by(const Snapshot& frozen, const ClassifyRequest& request) {
  const TaggingRule rule = tagging_rule(request, settings().classify, frozen.tagging());
  if (rule.vote != VoteKind::kPrototype) return allowed_by(frozen, request.filter);
  std::vector<std::uint64_t> bits =
      database.matching(frozen, prototypes_of(request, settings().classify));
  if (!request.filter.empty()) {
    const std::vector<std::uint64_t> filtered = database.matching(frozen, request.filter);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= filtered[i];
  }
  return Allowed(std::move(bits));
}

UnitVotersPointer Engine::Impl::unit_voters(const SnapshotPointer& frozen,
                                            const ClassifyRequest& request) {
  const TaggingRule rule = tagging_rule(request, settings().classify, frozen->tagging());
  if (rule.vote != VoteKind::kUnit) return nullptr;
  return unit_voters_cache.get(frozen, topics.get(frozen->mirror().uuid));
}

void Engine::Impl::add(const Snapshot& frozen, const Example& example, Asked& asked) {
  const ExampleContext from = context(frozen, true);
  asked.own.push_back(add_example(from, example, asked.queries));
  asked.limits.push_back(database.limits_of(frozen, example, asked.own.back()));
  if (asked.voters == nullptr) return;
  asked.units.push_back(std::holds_alternative<Record>(example)
                            ? asked.voters->map().place(example_features(from, example)).unit
                            : asked.voters->unit_of(asked.own.back()));
}

void Engine::Impl::add(const Snapshot& frozen, const AnalyzedRecord& record, Asked& asked) {
  frozen.weigh(record.features, frozen.tagging().weighting(), asked.queries);
  asked.own.push_back(row_with_id(frozen.mirror(), record.id));
  asked.limits.push_back(record.limits);
  if (asked.voters != nullptr)
    asked.units.push_back(asked.voters->map().place(record.features).unit);
}

void Engine::Impl::add(const Snapshot& frozen, const MirroredDocument& document, Asked& asked) {
  const ExampleContext from = context(frozen, true);
  asked.own.push_back(add_example(from, Docid{document.docid}, asked.queries));
  asked.limits.push_back(document.limits);
  if (asked.voters != nullptr) asked.units.push_back(asked.voters->unit_of(asked.own.back()));
}

Engine::Engine(const std::string& database, const Settings& settings, Log log)
    : impl_(std::make_unique<Impl>(database, open_database(database), settings, std::move(log))) {
  impl_->swap_in(impl_->database.read_snapshot());
}

Engine::Engine(const Xapian::Database& database, const Settings& settings, Log log)
    : impl_(std::make_unique<Impl>("", database, settings, std::move(log))) {
  impl_->swap_in(impl_->database.read_snapshot());
}

Engine::~Engine() = default;

RelatedResult Engine::related(const RelatedRequest& request) const {
  const SnapshotPointer snapshot = impl_->current();
  const Allowed allowed = impl_->allowed_by(*snapshot, request.filter);
  RelatedResult result = find_related(impl_->context(*snapshot), request, allowed.rows());
  impl_->database.fill_titles(result.results);
  return result;
}

Classification Engine::classify(const Example& example, const ClassifyRequest& request) const {
  return std::move(impl_->classify_all(std::span(&example, 1), request).front());
}

std::vector<Classification> Engine::classify(const std::vector<Record>& records,
                                             const ClassifyRequest& request) const {
  const std::vector<Example> examples(records.begin(), records.end());
  return impl_->classify_all(std::span(examples), request);
}

std::vector<Classification> Engine::classify(const std::vector<AnalyzedRecord>& records,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(std::span(records), request);
}

std::vector<Classification> Engine::classify(const std::vector<MirroredDocument>& documents,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(std::span(documents), request);
}

std::vector<Xapian::docid> Engine::matching(const std::string& query,
                                            const std::string& term) const {
  const SnapshotPointer snapshot = impl_->current();
  const Allowed allowed = impl_->allowed_by(*snapshot, query);
  return impl_->database.with_term(*snapshot, term, allowed.rows());
}

ClassGeometry Engine::class_geometry() const { return measure_class_geometry(*impl_->current()); }

std::vector<Suspect> Engine::suspects(const SuspectsRequest& request) const {
  const SnapshotPointer snapshot = impl_->current();
  ClassifyRequest voting;
  voting.filter = request.filter;
  const Allowed allowed = impl_->allowed_by(*snapshot, voting);
  const UnitVotersPointer voters = impl_->unit_voters(snapshot, {});
  return find_suspects(*snapshot, Classifier(*snapshot, impl_->settings().classify, voters.get()),
                       request, allowed.rows());
}

void Engine::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                            const OnClassified& on_classified) const {
  const SnapshotPointer snapshot = impl_->current();
  const Allowed allowed = impl_->allowed_by(*snapshot, request);
  const UnitVotersPointer voters = impl_->unit_voters(snapshot, request);
  kindred::cross_validate(*snapshot,
                          Classifier(*snapshot, impl_->settings().classify, voters.get()), how,
                          request, allowed.rows(), on_classified);
}

TuneReport Engine::tune(const TuneRequest& request, const OnTuning& on_tuning) const {
  const SnapshotPointer snapshot = impl_->current();
  std::vector<std::uint64_t> voters = snapshot->mirror().labeled;
  if (!request.filter.empty()) {
    const std::vector<std::uint64_t> matching = impl_->database.matching(*snapshot, request.filter);
    for (std::size_t i = 0; i < voters.size(); ++i) voters[i] &= matching[i];
  }
  return kindred::tune(*snapshot, impl_->settings(), voters, request, on_tuning);
}

std::vector<std::string> Engine::labels() const {
  const SnapshotPointer snapshot = impl_->current();
  const StringTable& names = snapshot->mirror().labels.names;
  std::vector<std::string> labels;
  for (std::uint32_t i = 0; i < names.size(); ++i) labels.emplace_back(names[i]);
  return labels;
}

std::shared_ptr<const TopicMap> Engine::train_topics(const TopicsRequest& request,
                                                     const TopicsProgress& progress) {
  const SnapshotPointer snapshot = impl_->current();
  const auto earlier = request.resume ? impl_->topics.get(snapshot->mirror().uuid)
                                      : std::shared_ptr<const TopicMap>();
  const auto map = train_topic_map(
      *snapshot, impl_->settings(), impl_->database.analyzers(), request, progress, earlier.get(),
      [this](const std::function<void(const Xapian::Database&)>& body) {
        impl_->database.read("cannot name the topics", body);
      },
      impl_->log);
  impl_->topics.put(map);
  return map;
}

std::shared_ptr<const TopicMap> Engine::topic_map() const {
  return impl_->topics.get(impl_->current()->mirror().uuid);
}

TopicPlacement Engine::topic_of(const Example& example) const {
  const SnapshotPointer snapshot = impl_->current();
  const auto map = impl_->topics.get(snapshot->mirror().uuid);
  return map->place(example_features(impl_->context(*snapshot), example));
}

std::vector<PlacedDocument> Engine::topic_places() const {
  const SnapshotPointer snapshot = impl_->current();
  const Mirror& mirror = snapshot->mirror();
  const auto map = impl_->topics.get(mirror.uuid);
  std::vector<std::uint32_t> rows(mirror.docids.size());
  std::iota(rows.begin(), rows.end(), 0U);
  const auto found = RowPlacer(mirror, *map).place(rows, snapshot->tagging().threads());
  std::vector<PlacedDocument> places;
  places.reserve(rows.size());
  for (const std::uint32_t row : rows)
    places.push_back({mirror.docids[row], std::string(mirror.ids[row]), found[row]});
  return places;
}

bool Engine::refresh() {
  const std::lock_guard lock(impl_->refresh_mutex);
  if (!impl_->database.moved(*impl_->current())) return false;
  impl_->swap_in(impl_->database.read_snapshot());
  return true;
}

Status Engine::status() const {
  const SnapshotPointer snapshot = impl_->current();
  const Mirror& mirror = snapshot->mirror();
  Status status;
  status.documents = mirror.docids.size();
  status.terms = mirror.vocabulary.size();
  status.nonzeros = mirror.counts.column.size();
  status.labels = mirror.labels.names.size();
  for (const std::uint64_t word : mirror.labeled) {
    status.labeled += static_cast<std::uint64_t>(std::popcount(word));
  }
  status.revision = mirror.revision;
  status.uuid = mirror.uuid;
  const BackendInfo info = snapshot->backend().info();
  status.backend = info.kind;
  status.device = info.device;
  status.bytes = snapshot->bytes();
  if (snapshot->tagging().tuning() != nullptr) status.tuning = *snapshot->tagging().tuning();
  status.compute_capability = info.compute_capability;
  status.device_bytes = info.kind == "cpu" ? 0 : info.bytes;
  status.tagged = mirror.tags.tagged;
  status.pending = mirror.tags.pending;
  status.opted_out = mirror.tags.opted_out;
  status.rejected = mirror.tags.rejected;
  return status;
}

const Settings& Engine::settings() const { return impl_->settings(); }

const std::string& Engine::path() const { return impl_->database.path(); }

}  // namespace kindred
