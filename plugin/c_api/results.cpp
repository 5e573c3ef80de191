#include "plugin/c_api/results.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin/c_api/lending.h"
#include "plugin/votes/tuning/tuning_json.h"

namespace kindred {
namespace {

// Each owns the answer that its base points into, so it can be neither moved nor copied.
struct OwnedRelated : kindred_related_result {
  RelatedResult answer;
  std::vector<kindred_related_document> document_list;
  std::vector<kindred_term> term_list;
  std::vector<kindred_folded_document> folded_list;
};

struct OwnedClassification : kindred_classification {
  Classification answer;
  std::vector<std::string> titles;
  kindred_tag best_tag;
  LentArrays arrays;
};

struct OwnedDuplicates : kindred_duplicates_result {
  DuplicateReport answer;
  LentArrays arrays;
};

struct OwnedCandidates : kindred_candidates_result {
  CandidateReport answer;
  std::vector<std::string> titles;
  LentArrays arrays;
};

struct OwnedTopics : kindred_topics_result {
  std::shared_ptr<const TopicMap> map;
  std::vector<kindred_topic> topic_list;
  std::vector<kindred_topic_term> term_list;
};

struct OwnedTuning : kindred_tune_result {
  std::string text;
};

void lend_documents(OwnedRelated& owned) {
  for (const Related& document : owned.answer.results) {
    for (const TermContribution& term : document.terms) {
      owned.term_list.push_back({lend(term.term), term.contribution});
    }
  }
  const kindred_term* terms = owned.term_list.data();
  for (const Related& document : owned.answer.results) {
    owned.document_list.push_back({document.docid, document.similarity, lend(document.id),
                                   lend(document.title), terms, document.terms.size()});
    terms += document.terms.size();
  }
  for (std::size_t i = 0; i < owned.answer.results.size(); ++i) {
    for (const FoldedDocument& folded : owned.answer.results[i].folded)
      owned.folded_list.push_back({folded.docid, folded.similarity, lend(folded.id), i});
  }
}

const kindred_duplicate_group* lend_groups(const std::vector<DuplicateGroup>& groups,
                                           LentArrays& arrays) {
  return arrays.keep_each(groups, [&](const DuplicateGroup& group) {
    const kindred_duplicate* documents = arrays.keep_each(group.documents, [&](const auto& each) {
      return kindred_duplicate{each.docid, lend(each.id), arrays.names(each.labels),
                               each.labels.size()};
    });
    return kindred_duplicate_group{documents, group.documents.size(), group.least, group.greatest};
  });
}

/// The neighbors of all candidates, one after the other.
void lend_neighbors(OwnedCandidates& owned) {
  std::vector<kindred_neighbor> neighbors;
  for (const Candidate& candidate : owned.answer.candidates)
    for (const Voter& voter : candidate.neighbors)
      neighbors.push_back(owned.arrays.neighbor(voter));
  owned.neighbor_count = neighbors.size();
  owned.neighbors = owned.arrays.keep(std::move(neighbors));
}

/// Call it after lend_neighbors(), since the reasons point to the neighbors.
void lend_candidates(OwnedCandidates& owned) {
  LentArrays& arrays = owned.arrays;
  const kindred_neighbor* neighbors = owned.neighbors;
  std::vector<kindred_candidate> lent;
  for (const Candidate& candidate : owned.answer.candidates) {
    const bool explained = !candidate.reason.label.empty();
    lent.push_back({candidate.docid, lend(candidate.id), lend(candidate.title),
                    candidate.confidence, arrays.names(candidate.labels), candidate.labels.size(),
                    arrays.names(candidate.predicted), candidate.predicted.size(),
                    explained ? arrays.keep(std::vector{arrays.reason(candidate.reason, neighbors)})
                              : nullptr});
    neighbors += candidate.neighbors.size();
  }
  owned.candidate_count = lent.size();
  owned.candidates = arrays.keep(std::move(lent));
}

void lend_explanation(OwnedClassification& owned) {
  const Classification& source = owned.answer;
  owned.neighbors = owned.arrays.neighbors(source.neighbors);
  owned.neighbor_count = source.neighbors.size();
  owned.neighbor_titles = owned.arrays.names(owned.titles);
  owned.reasons = owned.arrays.reasons(source.reasons, owned.neighbors);
  owned.reason_count = source.reasons.size();
  owned.near_miss_count = source.near_misses.size();
  owned.near_misses = owned.arrays.keep_each(source.near_misses, [](const NearMiss& miss) {
    return kindred_near_miss{lend(miss.label), miss.confidence, miss.threshold};
  });
}

/// Copies text and adds a zero byte. Text that does not fit is cut at a character.
void copy_text(const std::string& text, std::span<char> out) {
  std::size_t size = std::min(text.size(), out.size() - 1);
  const auto continues = [&](std::size_t i) { return (text[i] & 0xC0) == 0x80; };
  while (size < text.size() && size > 0 && continues(size)) --size;
  std::copy_n(text.data(), size, out.begin());
  out[size] = '\0';
}

}  // namespace

kindred_related_result* make_result(RelatedResult&& answer) {
  auto owned = std::make_unique<OwnedRelated>();
  owned->answer = std::move(answer);
  lend_documents(*owned);
  owned->revision = owned->answer.revision;
  owned->documents = owned->document_list.data();
  owned->document_count = owned->document_list.size();
  owned->folded = owned->folded_list.data();
  owned->folded_count = owned->folded_list.size();
  return owned.release();
}

kindred_classification* make_result(Classification&& answer, std::vector<std::string> titles) {
  auto owned = std::make_unique<OwnedClassification>();
  owned->answer = std::move(answer);
  owned->titles = std::move(titles);
  const Classification& source = owned->answer;
  lend_explanation(*owned);
  owned->revision = source.revision;
  owned->tags = owned->arrays.tags(source.tags);
  owned->tag_count = source.tags.size();
  if (source.best) owned->best_tag = lend(*source.best);
  owned->best = source.best ? &owned->best_tag : nullptr;
  owned->withheld = owned->arrays.tags(source.withheld);
  owned->withheld_count = source.withheld.size();
  const VotingUnit unit = source.unit.value_or(VotingUnit{});
  owned->unit = unit.unit;
  owned->topic = unit.topic;
  owned->voters = unit.documents;
  return owned.release();
}

kindred_duplicates_result* make_result(DuplicateReport&& answer) {
  auto owned = std::make_unique<OwnedDuplicates>();
  owned->answer = std::move(answer);
  owned->revision = owned->answer.revision;
  owned->examined = owned->answer.examined;
  owned->found = owned->answer.found;
  owned->grouped = owned->answer.grouped;
  owned->groups = lend_groups(owned->answer.groups, owned->arrays);
  owned->group_count = owned->answer.groups.size();
  return owned.release();
}

void delete_result(kindred_duplicates_result* result) noexcept {
  delete static_cast<OwnedDuplicates*>(result);
}

kindred_candidates_result* make_result(CandidateReport&& answer, std::vector<std::string> titles) {
  auto owned = std::make_unique<OwnedCandidates>();
  owned->answer = std::move(answer);
  owned->titles = std::move(titles);
  owned->neighbor_titles = owned->arrays.names(owned->titles);
  lend_neighbors(*owned);
  lend_candidates(*owned);
  owned->revision = owned->answer.revision;
  owned->examined = owned->answer.examined;
  owned->found = owned->answer.found;
  return owned.release();
}

void delete_result(kindred_candidates_result* result) noexcept {
  delete static_cast<OwnedCandidates*>(result);
}

kindred_topics_result* make_result(std::shared_ptr<const TopicMap> map) {
  auto owned = std::make_unique<OwnedTopics>();
  owned->map = std::move(map);
  const TopicMap& source = *owned->map;
  for (const Topic& topic : source.topics) {
    for (const TopicTerm& term : topic.terms)
      owned->term_list.push_back({lend(term.term), lend(term.word), term.score});
  }
  const kindred_topic_term* terms = owned->term_list.data();
  for (const Topic& topic : source.topics) {
    owned->topic_list.push_back(
        {topic.number, lend(topic.name), topic.documents, terms, topic.terms.size()});
    terms += topic.terms.size();
  }
  owned->revision = source.origin.revision;
  owned->documents = source.origin.documents;
  owned->units = source.units.size();
  owned->quantization_error = source.quantization_error;
  owned->topographic_error = source.topographic_error;
  owned->topics = owned->topic_list.data();
  owned->topic_count = owned->topic_list.size();
  return owned.release();
}

void delete_result(kindred_topics_result* result) noexcept {
  delete static_cast<OwnedTopics*>(result);
}

kindred_tune_result* make_result(const TuneReport& report, const std::string& file,
                                 double seconds) {
  auto owned = std::make_unique<OwnedTuning>();
  owned->text = tune_report_json(report, file, seconds)
                    .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  owned->json = lend(owned->text);
  return owned.release();
}

void delete_result(kindred_tune_result* result) noexcept {
  delete static_cast<OwnedTuning*>(result);
}

void delete_result(kindred_related_result* result) noexcept {
  delete static_cast<OwnedRelated*>(result);
}

void delete_result(kindred_classification* result) noexcept {
  delete static_cast<OwnedClassification*>(result);
}

kindred_topic_place make_place(const TopicPlacement& place) {
  return {sizeof(kindred_topic_place),
          place.topic,
          place.unit,
          place.distance,
          place.novelty,
          place.revision};
}

kindred_status make_status(const Status& status) {
  kindred_status out = KINDRED_STATUS_INIT;
  out.documents = status.documents;
  out.terms = status.terms;
  out.nonzeros = status.nonzeros;
  out.labels = status.labels;
  out.labeled = status.labeled;
  out.revision = status.revision;
  out.bytes = status.bytes;
  copy_text(status.uuid, out.uuid);
  copy_text(status.backend, out.backend);
  copy_text(status.device, out.device);
  out.device_bytes = status.device_bytes;
  out.tuned = status.tuning ? 1 : 0;
  copy_text(status.compute_capability, out.compute_capability);
  out.tagged = status.tagged;
  out.pending = status.pending;
  out.opted_out = status.opted_out;
  out.rejected = status.rejected;
  copy_text(status.profile, out.profile);
  out.tuning_due = status.tuning_due ? 1 : 0;
  return out;
}

kindred_ingest_report make_report(const IngestReport& report) {
  return {sizeof(kindred_ingest_report),
          report.added,
          report.replaced,
          report.failed,
          report.tagged,
          report.pending,
          report.near_duplicates,
          report.uncompared};
}

kindred_document_report make_report(const DocumentReport& report, std::vector<kindred_tag>& tags) {
  using Outcome = DocumentReport::Outcome;
  kindred_document_report out = {};
  out.size = sizeof out;
  out.id = lend(report.id);
  out.outcome = report.outcome == Outcome::kAdded      ? KINDRED_ADDED
                : report.outcome == Outcome::kReplaced ? KINDRED_REPLACED
                                                       : KINDRED_REFUSED;
  out.pending = report.pending ? 1 : 0;
  out.reason = lend(report.reason);
  for (const Tag& tag : report.tags) tags.push_back(lend(tag));
  out.tags = tags.data();
  out.tag_count = tags.size();
  out.compared = report.compared ? 1 : 0;
  out.near_id = {"", 0};
  if (!report.near_duplicate) return out;
  out.near_docid = report.near_duplicate->docid;
  out.near_id = lend(report.near_duplicate->id);
  out.near_similarity = report.near_duplicate->similarity;
  return out;
}

kindred_assign_report make_report(const AssignReport& report) {
  return {sizeof(kindred_assign_report),
          report.revision,
          report.matched,
          report.continued,
          report.examined,
          report.gone,
          report.written};
}

kindred_store_related_report make_report(const StoreRelatedReport& report) {
  return {sizeof(kindred_store_related_report),
          report.revision,
          report.matched,
          report.continued,
          report.examined,
          report.gone,
          report.written};
}

kindred_tag_report make_report(const TagReport& report) {
  return {sizeof(kindred_tag_report),
          report.revision,
          report.matched,
          report.continued,
          report.examined,
          report.tagged,
          report.labeled,
          report.opted_out,
          report.gone,
          report.changed,
          report.written,
          report.given,
          report.taken_off,
          report.rejected,
          report.allowed};
}

}  // namespace kindred
