#include "plugin/reading.h"

#include <utility>

#include "plugin/answer_names.h"
#include "plugin/index_state.h"
#include "plugin/related/document_groups.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/related/related_search.h"
#include "plugin/snapshot/document_lists.h"

namespace kindred {
namespace {

/// Fills their topics, if there is a map.
void fill_topics(const Reading& reading, const Pulse& pulse,
                 std::vector<StoredDocument>& documents) {
  // A map of another index is told of once, and places nothing.
  std::shared_ptr<const TopicMap> map;
  IndexState& index = *reading.index;
  try {
    map = reading.topic_map();
  } catch (const Error& e) {
    if (e.code() == Errc::kCorrupt) throw;
    const bool is_of_another_index = e.code() != Errc::kNotFound;
    if (is_of_another_index && index.log && !index.has_told_of_map.exchange(true))
      index.log(e.what());
  }
  if (map == nullptr) return;

  for (StoredDocument& document : documents) {
    pulse();
    const std::uint32_t topic = reading.topic_of(Docid{document.docid}, *map).topic;
    if (topic > 0) document.topic = {topic, map->topics[topic - 1].name};
  }
}

/// Fills the predicted tags of documents without labels, where Kindred must not write them.
void predict_missing(const Reading& reading, const Pulse& pulse,
                     std::vector<StoredDocument>& documents) {
  if (!reading.settings().index.read_only || reading.mirror().labeled.count() == 0) return;

  std::vector<Example> examples;
  std::vector<StoredDocument*> without;
  for (StoredDocument& document : documents) {
    if (!document.labels.empty()) continue;
    examples.emplace_back(Docid{document.docid});
    without.push_back(&document);
  }

  ClassifyRequest request;
  request.pulse = pulse;
  const std::vector<Classification> found = reading.classify(examples, request);
  for (std::size_t i = 0; i < found.size(); ++i) without[i]->predicted = found[i].tags;
}

/// The names that related documents still lack, as the request wants them.
void add_names(const RelatedRequest& request, std::vector<api::RelatedDocument>& documents,
               const WordsByStem* own, AnswerNames& names) {
  for (api::RelatedDocument& document : documents) {
    if (request.titles) names.add(document.docid, document.title.emplace());
    if (document.terms) names.add(*document.terms, own);
    if (document.neighbor_terms) names.add(*document.neighbor_terms);
  }
}

}  // namespace

RelatedResult Reading::related(const RelatedRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  const auto groups = groups_of(request.group, among.get());
  RelatedResult result = find_related(
      context(), with_query_examples(database(), *snapshot, request), among.get(), groups.get());
  AnswerNames names;
  const WordsByStem* own = nullptr;
  if (request.explain) own = names.words_of(*this, request.like, request.pulse);
  add_names(request, result.results, own, names);
  names.fill(*this, request.pulse);
  return result;
}

std::vector<RelatedResult> Reading::related_each(std::span<const Xapian::docid> docids,
                                                 const RelatedRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  const auto groups = groups_of(request.group, among.get());
  std::vector<RelatedResult> results =
      find_related_each(context(), docids, request, among.get(), groups.get());
  AnswerNames names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Example document = Docid{docids[i]};
    const WordsByStem* own = nullptr;
    if (request.explain) own = names.words_of(*this, {&document, 1}, request.pulse);
    add_names(request, results[i].results, own, names);
  }
  names.fill(*this, request.pulse);
  return results;
}

api::DuplicatesAnswer Reading::duplicates(const DuplicatesRequest& request) const {
  const Filtered among = allowed(request.filter, request.pulse);
  api::DuplicatesAnswer answer = find_duplicates(*snapshot, request, among.get());
  if (const auto groups = groups_of(request.group, among.get()))
    for (api::DuplicateGroup& group : answer.groups) groups->collapse(group.documents);

  AnswerNames names;
  for (api::DuplicateGroup& group : answer.groups) {
    for (api::Duplicate& document : group.documents) names.add(document.docid, document.title);
  }
  names.fill(*this, request.pulse);
  return answer;
}

std::vector<Xapian::docid> Reading::matching(const std::string& query,
                                             const std::string& term) const {
  const Filtered among = allowed(query);
  return database().with_term(*snapshot, term, among.get());
}

MatchingDocuments Reading::matching(const MatchingRequest& request) const {
  const Filtered among = allowed(request.query, request.pulse);
  MatchingDocuments found = list_matching(*snapshot, request, among.get());

  // What the list says of each document, as far as it is asked for.
  if (request.documents)
    found.documents = read_documents(database(), *snapshot, found.docids, request.pulse).documents;
  if (request.predictions) {
    fill_topics(*this, request.pulse, found.documents);
    predict_missing(*this, request.pulse, found.documents);
  }
  if (!request.features) return found;

  for (const Xapian::docid docid : found.docids) {
    request.pulse();
    found.features.push_back(example_features(context(), Docid{docid}));
  }
  return found;
}

api::DocumentsAnswer Reading::documents(const std::vector<Example>& examples,
                                        const Pulse& pulse) const {
  std::vector<Xapian::docid> docids;
  docids.reserve(examples.size());
  for (const Example& example : examples)
    docids.push_back(docid_of(*snapshot, example, settings().index));

  api::DocumentsAnswer stored = read_documents(database(), *snapshot, docids, pulse);
  fill_topics(*this, pulse, stored.documents);
  return stored;
}

}  // namespace kindred
