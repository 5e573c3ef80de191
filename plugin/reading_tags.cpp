#include "plugin/reading.h"

#include <utility>
#include <variant>

#include "plugin/answer_names.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/label_search.h"
#include "plugin/index_state.h"
#include "plugin/mirror/reading/surveys.h"
#include "plugin/related/document_groups.h"
#include "plugin/store/kept_files.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

/// The documents that the request allows to vote: those of its filter and, in the vote "prototype",
/// the prototypes among them.
Reading::Filtered voters_of(const Reading& reading, const ClassifyRequest& request) {
  const ClassifySettings& settings = reading.settings().classify;
  const DecisionRule rule = decision_rule(request, settings, reading.snapshot->voting());
  if (rule.vote != VoteKind::kPrototype) return reading.allowed(request.filter, request.pulse);

  Reading::Filtered prototypes = reading.database().matching(
      *reading.snapshot, prototypes_of(request, settings), request.pulse);
  if (request.filter.empty()) return prototypes;

  DocumentSet both = *prototypes;
  both &= *reading.allowed(request.filter, request.pulse);
  return std::make_shared<const DocumentSet>(std::move(both));
}

/// The voters where they lie on the map, made anew if there is another map.
std::shared_ptr<const UnitVoters> unit_voters_of(const Reading& reading) {
  const std::shared_ptr<const TopicMap> map = reading.topic_map();
  const auto is_good = [&](const UnitVoters& known) {
    return &known.map() == map.get();
  };
  return reading.index->unit_voters.get(reading.snapshot, is_good, [&] {
    return std::make_shared<const UnitVoters>(reading.mirror(), map,
                                              reading.snapshot->voting().threads());
  });
}

std::shared_ptr<const FewLabels> few_labels_of(const Reading& reading) {
  const auto is_good = [](const FewLabels&) {
    return true;
  };
  return reading.index->few_labels.get(reading.snapshot, is_good, [&] {
    return std::make_shared<const FewLabels>(*reading.snapshot,
                                             reading.snapshot->voting().voters());
  });
}

/// What the vote of the request needs.
VoteMeans means_of(const Reading& reading, const ClassifyRequest& request) {
  const DecisionRule rule =
      decision_rule(request, reading.settings().classify, reading.snapshot->voting());

  VoteMeans means;
  if (rule.vote == VoteKind::kUnit) means.units = unit_voters_of(reading);
  if (reading.hears_few(request)) means.few = few_labels_of(reading);
  const Tuning* tuning = nullptr;
  if (rule.vote == VoteKind::kBlend) tuning = reading.snapshot->voting().tuning().get();
  const bool hears_names = tuning != nullptr && tuning->combiner.uses_names();
  if (request.suggest || hears_names) means.terms = reading.term_mirror();
  if (tuning != nullptr && tuning->hierarchy.is_used()) means.hierarchy = reading.hierarchy();
  return means;
}

/// Where the suspects among all documents are kept, if the request asks for these, they are many,
/// and this process may write there. They depend on the documents, what was learned of them, names
/// and the settings.
std::unique_ptr<const KeptSuspects> kept_suspects(const Reading& reading,
                                                  const SuspectsRequest& request) {
  constexpr std::uint64_t kFewest = 1000;  // suspects among fewer documents are found at once

  const Mirror& mirror = reading.mirror();
  const Origin origin = reading.origin();
  const bool is_of_all = request.query.empty() && request.filter.empty();
  const bool has_one_revision = origin.revision > 0 && origin.shards == nullptr;
  if (!is_of_all || !has_one_revision || mirror.labeled.count() < kFewest) return nullptr;

  // A map may change while the index does not.
  const Settings& settings = reading.settings();
  const std::string& location = reading.database().location();
  const bool is_by_map = settings.classify.vote == vote_name(VoteKind::kUnit);
  if (is_by_map || reading.database().path().empty() || !can_write_beside(location)) return nullptr;

  std::string key = mirror.uuid + "\n" + std::to_string(origin.revision) + "\n";
  if (const auto& tuning = reading.snapshot->voting().tuning()) key += tuning->stamp;
  key += "\n";
  if (const auto& lift = reading.snapshot->lift()) key += lift->stamp;
  key += "\n";
  if (const auto& vocabulary = reading.snapshot->vocabulary()) key += vocabulary->stamp();
  key += "\n" + settings_json(settings);
  return std::make_unique<const KeptSuspects>(location, key, reading.index->log);
}

Classifier classifier_of(const Reading& reading, const ClassifyRequest& request) {
  return {*reading.snapshot, reading.settings().classify, means_of(reading, request)};
}

template <typename Item>
std::vector<Classification> classify_all(const Reading& reading, std::span<const Item> items,
                                         const ClassifyRequest& request) {
  ClassifyBatch batch(reading.database(), *reading.snapshot, means_of(reading, request));
  batch.add(items, request.pulse);
  return batch.classify(request, voters_of(reading, request).get());
}

std::optional<std::string> unless_empty(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

/// The unique id of an example, if it has one.
std::optional<std::string> id_of(const Reading& reading, const Example& example) {
  if (const auto* id = std::get_if<UniqueId>(&example)) return id->value;
  if (const auto* docid = std::get_if<Docid>(&example)) return reading.id_of(docid->value);
  return unless_empty(std::get<Record>(example).id);
}

}  // namespace

std::vector<Classification> Reading::classify(std::span<const Example> examples,
                                              const ClassifyRequest& request) const {
  std::vector<Classification> results = classify_all(*this, examples, request);
  const bool has_voters = request.voters || request.explain;
  const auto groups = groups_of(has_voters ? request.group : "none");
  AnswerNames names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    request.pulse();
    Classification& result = results[i];
    result.id = kindred::id_of(*this, examples[i]);
    if (const auto* docid = std::get_if<Docid>(&examples[i])) result.docid = docid->value;

    if (result.voters && groups) groups->collapse(*result.voters);
    if (result.voters && request.titles) names.add(*result.voters);
    if (!result.reasons) continue;
    names.add(*result.reasons, names.words_of(*this, examples.subspan(i, 1), request.pulse));
  }
  names.fill(*this, request.pulse);
  return results;
}

std::vector<Classification> Reading::classify(std::span<const AnalyzedRecord> records,
                                              const ClassifyRequest& request) const {
  return classify_all(*this, records, request);
}

std::vector<Classification> Reading::classify(std::span<const MirroredDocument> documents,
                                              const ClassifyRequest& request) const {
  return classify_all(*this, documents, request);
}

api::SuspectsAnswer Reading::suspects(const SuspectsRequest& request) const {
  ClassifyRequest voting;
  voting.filter = request.filter;
  voting.pulse = request.pulse;
  const Filtered voters = voters_of(*this, voting);
  const Filtered asked = allowed(request.query, request.pulse);
  const std::unique_ptr<const KeptSuspects> kept = kept_suspects(*this, request);

  api::SuspectsAnswer answer = find_suspects(database(), *snapshot, classifier_of(*this, {}),
                                             request, asked.get(), voters.get(), kept.get());
  answer.tuning_unused = unused_tuning();

  AnswerNames names;
  for (api::SuspectList* list : {&answer.missing, &answer.wrong}) {
    for (api::Suspect& suspect : list->suspects) {
      names.add(suspect.docid, suspect.title);
      names.add(suspect.voters);
      const Example document = Docid{suspect.docid};
      names.add(suspect.reasons, names.words_of(*this, {&document, 1}, request.pulse));
    }
  }
  names.fill(*this, request.pulse);
  return answer;
}

api::CandidatesAnswer Reading::candidates(const CandidatesRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  ClassifyRequest voting;
  voting.pulse = request.pulse;
  const Filtered voters = voters_of(*this, voting);

  api::CandidatesAnswer answer = find_candidates(database(), *snapshot, classifier_of(*this, {}),
                                                 request, among.get(), voters.get());
  answer.tuning_unused = unused_tuning();

  AnswerNames names;
  for (api::Candidate& candidate : answer.candidates) {
    if (candidate.voters && request.titles) names.add(*candidate.voters);
    if (!candidate.reason) continue;
    const Example document = Docid{candidate.docid};
    names.add(candidate.reason->terms, names.words_of(*this, {&document, 1}, request.pulse));
  }
  names.fill(*this, request.pulse);
  return answer;
}

void Reading::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                             const OnClassified& on_classified) const {
  const Filtered voters = voters_of(*this, request);
  classifier_of(*this, request).cross_validate(how, request, voters.get(), on_classified);
}

bool Reading::hears_few(const ClassifyRequest& request) const {
  const VotingModel& model = snapshot->voting();
  const VoteKind vote = decision_rule(request, settings().classify, model).vote;
  if (vote == VoteKind::kBlend) return model.tuning()->combiner.uses_few();
  return vote == VoteKind::kFew;
}

bool Reading::gives_shares(const ClassifyRequest& request) const {
  const ClassifySettings& classify = settings().classify;
  const VoteKind asked = vote_kind(request.vote.value_or(classify.vote));
  const VoteKind vote = decision_rule(request, classify, snapshot->voting()).vote;
  return asked == VoteKind::kAuto && vote == VoteKind::kSimilarity;
}

std::shared_ptr<const TermMirror> Reading::term_mirror() const {
  if (snapshot->vocabulary() == nullptr) return nullptr;
  const auto is_good = [](const TermMirror&) {
    return true;
  };
  return index->term_mirror.get(snapshot, is_good, [&] {
    return std::make_shared<const TermMirror>(
        *snapshot, settings().index, database().analyzers(),
        database().read("cannot read the languages", languages_of));
  });
}

std::shared_ptr<const LabelHierarchy> Reading::hierarchy() const {
  if (snapshot->vocabulary() == nullptr) return nullptr;
  const auto is_good = [](const LabelHierarchy&) {
    return true;
  };
  return index->hierarchy.get(snapshot, is_good, [&] {
    return std::make_shared<const LabelHierarchy>(*snapshot->vocabulary(), mirror().labels.names);
  });
}

bool Reading::needs_tuning() const {
  constexpr std::uint64_t kLeastVoters = 100;

  // Whoever has chosen how to vote is not tuned over.
  const ClassifySettings& classify = settings().classify;
  const ClassifySettings defaults;
  const bool is_chosen = classify.vote != defaults.vote ||
                         classify.neighbors != defaults.neighbors ||
                         classify.min_confidence != defaults.min_confidence;
  if (!classify.auto_tune || !classify.use_tuning || is_chosen || index->tuning_failed)
    return false;

  // A few voters, or one label, tell nothing.
  const std::uint64_t voters = mirror().labeled.count();
  if (voters < kLeastVoters || mirror().labels.order.size() < 2) return false;

  // The tuning that is used serves until its labels have become one, or, if nobody asked for it,
  // until it knows at most half of the voters.
  const Tuning* tuning = snapshot->voting().tuning().get();
  const bool has_grown = tuning != nullptr && tuning->automatic && voters >= 2 * tuning->voters;
  if (tuning != nullptr && !has_grown && !tuning->merged) return false;

  const std::string& location = database().location();
  return !database().path().empty() && can_write_beside(location) && !is_kept_untuned(location);
}

std::optional<std::string> Reading::unused_tuning() const {
  return unless_empty(snapshot->unused_tuning().why);
}

}  // namespace kindred
