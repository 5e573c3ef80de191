#include "plugin/engine.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <mutex>
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
#include "plugin/topic_shelf.h"
#include "plugin/topic_training.h"
#include "plugin/tune.h"

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

/// What a batch is asked about, one of each a query.
struct Asked {
  Queries queries;
  std::vector<std::uint32_t> own;  ///< the rows that may not vote
  std::vector<TagLimits> limits;
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
  /// Asks for many at once: add(snapshot, item, asked) adds one.
  template <typename Item, typename Add>
  std::vector<Classification> classify_all(const std::vector<Item>& items,
                                           const ClassifyRequest& request, Add&& add) {
    const SnapshotPointer frozen = current();
    Asked asked;
    for (const Item& item : items) add(*frozen, item, asked);
    return vote(*frozen, asked.queries, asked.own, asked.limits, request);
  }

  std::vector<Classification> vote(const Snapshot& frozen, const Queries& queries,
                                   std::span<const std::uint32_t> own,
                                   std::span<const TagLimits> limits,
                                   const ClassifyRequest& request);

  const Log log;
  MirroredDatabase database;
  mutable std::mutex snapshot_mutex;  ///< held to copy or swap the pointer only
  SnapshotPointer snapshot;
  std::mutex refresh_mutex;  ///< one refresh at a time
  TopicShelf topics;
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

/// One classification a query; own[q] is the row that may not vote on it, limits[q] what it must
/// not give.
std::vector<Classification> Engine::Impl::vote(const Snapshot& frozen, const Queries& queries,
                                               std::span<const std::uint32_t> own,
                                               std::span<const TagLimits> limits,
                                               const ClassifyRequest& request) {
  const Allowed allowed = allowed_by(frozen, request);
  return Classifier(frozen, settings().classify)
      .classify(queries, request, own, allowed.rows(), limits);
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
  const SnapshotPointer snapshot = impl_->current();
  Queries queries;
  const std::uint32_t own = add_example(impl_->context(*snapshot, true), example, queries);
  const TagLimits limits = impl_->database.limits_of(*snapshot, example, own);
  return std::move(impl_->vote(*snapshot, queries, {&own, 1}, {&limits, 1}, request).front());
}

std::vector<Classification> Engine::classify(const std::vector<Record>& records,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(
      records, request, [&](const Snapshot& snapshot, const Record& record, Asked& asked) {
        const auto context = impl_->context(snapshot, true);
        asked.own.push_back(add_example(context, record, asked.queries));
        asked.limits.push_back(impl_->database.limits_of(snapshot, record, asked.own.back()));
      });
}

std::vector<Classification> Engine::classify(const std::vector<AnalyzedRecord>& records,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(
      records, request, [&](const Snapshot& snapshot, const AnalyzedRecord& record, Asked& asked) {
        snapshot.weigh(record.features, snapshot.tagging().weighting(), asked.queries);
        asked.own.push_back(row_with_id(snapshot.mirror(), record.id));
        asked.limits.push_back(record.limits);
      });
}

std::vector<Classification> Engine::classify(const std::vector<MirroredDocument>& documents,
                                             const ClassifyRequest& request) const {
  return impl_->classify_all(
      documents, request,
      [&](const Snapshot& snapshot, const MirroredDocument& document, Asked& asked) {
        const auto context = impl_->context(snapshot, true);
        asked.own.push_back(add_example(context, Docid{document.docid}, asked.queries));
        asked.limits.push_back(document.limits);
      });
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
  return find_suspects(*snapshot, Classifier(*snapshot, impl_->settings().classify), request,
                       allowed.rows());
}

void Engine::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                            const OnClassified& on_classified) const {
  const SnapshotPointer snapshot = impl_->current();
  const Allowed allowed = impl_->allowed_by(*snapshot, request);
  kindred::cross_validate(*snapshot, Classifier(*snapshot, impl_->settings().classify), how,
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
      });
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
  const auto map = impl_->topics.get(snapshot->mirror().uuid);
  const ExampleContext context = impl_->context(*snapshot);
  std::vector<PlacedDocument> places;
  for (std::uint32_t row = 0; row < snapshot->mirror().docids.size(); ++row) {
    const Xapian::docid docid = snapshot->docid_of(row);
    places.push_back({docid, std::string(snapshot->mirror().ids[row]),
                      map->place(example_features(context, Docid{docid}))});
  }
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
