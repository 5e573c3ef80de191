#include "plugin/engine.h"

#include <utility>

#include "plugin/classify/geometry_measurement.h"
#include "plugin/index_state.h"
#include "plugin/learning.h"
#include "plugin/reading.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/related/related_search.h"
#include "plugin/snapshot/document_lists.h"

namespace kindred {
namespace {

/// The first question may have to learn what terms weigh.
void learn(const Engine& engine, LiftFor whom, const Pulse& pulse) {
  learn_lift_if_needed(engine, whom, [&](const std::string&, std::uint64_t, std::uint64_t) {
    pulse();
  });
}

}  // namespace

Engine::Engine(const std::string& database, const Settings& settings, Log log,
               ReadingProgress on_reading)
    : impl_(std::make_unique<Impl>()) {
  impl_->index = std::make_shared<IndexState>(database, nullptr, settings, std::move(log),
                                              std::move(on_reading));
}

Engine::Engine(const Xapian::Database& database, const Settings& settings, Log log)
    : impl_(std::make_unique<Impl>()) {
  impl_->index =
      std::make_shared<IndexState>("", &database, settings, std::move(log), ReadingProgress());
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Engine::~Engine() = default;
Engine::Engine(Engine&& other) noexcept = default;

Engine Engine::pinned() const {
  Reading reading(*this);
  auto impl = std::make_unique<Impl>();
  impl->index = std::move(reading.index);
  impl->pinned = std::move(reading.snapshot);
  return Engine(std::move(impl));
}

Origin Engine::origin() const { return Reading(*this).origin(); }

RelatedResult Engine::related(const RelatedRequest& request) const {
  learn(*this, LiftFor::kRelated, request.pulse);
  return Reading(*this).related(request);
}

std::vector<RelatedResult> Engine::related_each(std::span<const Xapian::docid> docids,
                                                const RelatedRequest& request) const {
  learn(*this, LiftFor::kRelated, request.pulse);
  return Reading(*this).related_each(docids, request);
}

Neighborhood Engine::neighborhood(const RelatedRequest& request) const {
  learn(*this, LiftFor::kRelated, request.pulse);
  const Reading reading(*this);
  const auto allowed = reading.allowed(request.filter, request.pulse);
  return find_neighborhood(reading.context(),
                           with_query_examples(reading.database(), *reading.snapshot, request),
                           allowed.get());
}

api::DuplicatesAnswer Engine::duplicates(const DuplicatesRequest& request) const {
  return Reading(*this).duplicates(request);
}

std::vector<std::optional<NearDuplicate>> Engine::near_duplicates(
    std::span<const Xapian::docid> arrived, double threshold) const {
  return find_near_duplicates(*Reading(*this).snapshot, arrived, threshold);
}

Classification Engine::classify(const Example& example, const ClassifyRequest& request) const {
  return std::move(classify(std::vector{example}, request).front());
}

std::vector<Classification> Engine::classify(const std::vector<Record>& records,
                                             const ClassifyRequest& request) const {
  return classify(std::vector<Example>(records.begin(), records.end()), request);
}

std::vector<Classification> Engine::classify(const std::vector<Example>& examples,
                                             const ClassifyRequest& request) const {
  if (Reading(*this).hears_few(request)) learn(*this, LiftFor::kTags, request.pulse);
  return Reading(*this).classify(examples, request);
}

api::AnalyzeAnswer Engine::analyze(const std::string& text, const std::string& language) const {
  return Reading(*this).analyze(text, language);
}

ParsedQuery Engine::parse(const std::string& query, const QueryStyle& style) const {
  return Reading(*this).parse(query, style);
}

std::vector<Xapian::docid> Engine::matching(const std::string& query,
                                            const std::string& term) const {
  return Reading(*this).matching(query, term);
}

MatchingDocuments Engine::matching(const MatchingRequest& request) const {
  return Reading(*this).matching(request);
}

api::DocumentsAnswer Engine::documents(const std::vector<Example>& examples,
                                       const Pulse& pulse) const {
  return Reading(*this).documents(examples, pulse);
}

api::SearchAnswer Engine::search(const api::SearchRequest& request, const Pulse& pulse) const {
  return Reading(*this).search(request, pulse);
}

std::vector<std::string> Engine::words(const std::vector<std::string>& terms,
                                       const Pulse& pulse) const {
  return Reading(*this).words(terms, pulse);
}

std::vector<std::string> Engine::titles(std::span<const Xapian::docid> docids,
                                        const Pulse& pulse) const {
  return read_titles(impl_->index->database, docids, pulse);
}

std::optional<Xapian::docid> Engine::docid_of(const std::string& id) const {
  const Reading reading(*this);
  return find_document(*reading.snapshot, id, reading.settings().index);
}

std::string Engine::id_of(Xapian::docid docid) const { return Reading(*this).id_of(docid); }

void Engine::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                            const OnClassified& on_classified) const {
  Reading(*this).cross_validate(how, request, on_classified);
}

api::GeometryAnswer Engine::class_geometry(const DocumentProgress& on_progress,
                                           const Pulse& pulse) const {
  return measure_class_geometry(*Reading(*this).snapshot, on_progress, pulse);
}

api::SuspectsAnswer Engine::suspects(const SuspectsRequest& request) const {
  return Reading(*this).suspects(request);
}

api::CandidatesAnswer Engine::candidates(const CandidatesRequest& request) const {
  return Reading(*this).candidates(request);
}

std::string Engine::tuning_unused() const { return Reading(*this).snapshot->unused_tuning().why; }

bool Engine::needs_tuning() const { return Reading(*this).needs_tuning(); }

bool Engine::tune_if_needed(const OnTuning& on_tuning) {
  return kindred::tune_if_needed(*this, on_tuning).has_value();
}

std::vector<std::string> Engine::labels() const { return Reading(*this).labels(); }

std::string Engine::label_name(const std::string& label,
                               const std::vector<std::string>& languages) const {
  return Reading(*this).label_name(label, languages);
}

api::LabelsAnswer Engine::label_counts(const Pulse& pulse) const {
  return Reading(*this).label_counts(pulse);
}

api::TopicPlace Engine::topic_of(const Example& example) const {
  const Reading reading(*this);
  const auto map = reading.topic_map();
  return topic_place(*map, reading.topic_of(example, *map));
}

bool Engine::refresh() { return impl_->index->current_snapshot.refresh(); }

bool Engine::refresh(std::span<const Xapian::docid> changed) {
  return impl_->index->current_snapshot.refresh(changed);
}

bool Engine::refreshes_in_proportion() const {
  return impl_->index->current_snapshot.is_followed();
}

api::SaveMirrorAnswer Engine::save_mirror() const { return impl_->index->current_snapshot.save(); }

api::StatusAnswer Engine::status() const { return Reading(*this).status(); }

std::vector<PrefixCount> Engine::prefixes(const Pulse& pulse) const {
  return Reading(*this).prefixes(pulse);
}

SettingsGuess Engine::guess_settings(const std::vector<PrefixCount>& prefixes) const {
  return Reading(*this).guess_settings(prefixes);
}

const Settings& Engine::settings() const { return impl_->index->settings(); }

const std::string& Engine::location() const { return impl_->index->database.location(); }

const std::string& Engine::path() const { return impl_->index->database.path(); }

}  // namespace kindred
