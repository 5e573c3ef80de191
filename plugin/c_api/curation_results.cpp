#include "plugin/c_api/curation_results.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/c_api/curation_requests.h"
#include "plugin/c_api/lending.h"
#include "plugin/evaluate/evaluate.h"
#include "plugin/evaluate/evaluation_json.h"
#include "plugin/topics/map.h"

namespace kindred {
namespace {

// Each owns the answer that its base points into, so it can be neither moved nor copied.
template <typename Base, typename Answer>
struct Owned : Base {
  Answer answer;
  LentArrays arrays;
};
using OwnedLabels = Owned<kindred_labels_result, LabelCounts>;
using OwnedMatching = Owned<kindred_matching_result, MatchingDocuments>;
using OwnedDocuments = Owned<kindred_documents_result, StoredDocuments>;
using OwnedSuspects = Owned<kindred_suspects_result, SuspectReport>;
using OwnedMap = Owned<kindred_map_result, PlacedDocuments>;
using OwnedAnalysis = Owned<kindred_analysis, AnalyzedText>;
using OwnedQuery = Owned<kindred_query, std::pair<std::string, std::vector<QueryWord>>>;
using OwnedJson = Owned<kindred_json, std::string>;

template <typename Result, typename Answer>
std::unique_ptr<Result> own(Answer&& answer) {
  auto owned = std::make_unique<Result>();
  owned->answer = std::forward<Answer>(answer);
  return owned;
}

kindred_document lend_document(const StoredDocument& document, LentArrays& arrays) {
  return {document.docid,
          document.auto_tag ? 0 : 1,
          document.pending ? 1 : 0,
          lend(document.id),
          lend(document.title),
          arrays.names(document.labels),
          document.labels.size(),
          arrays.tags(document.predicted),
          document.predicted.size(),
          arrays.names(document.rejected),
          document.rejected.size()};
}

kindred_suspect lend_suspect(const Suspect& suspect, LentArrays& arrays) {
  const kindred_neighbor* neighbors = arrays.neighbors(suspect.neighbors);
  return {suspect.docid,
          lend(suspect.id),
          lend(suspect.title),
          arrays.names(suspect.labels),
          suspect.labels.size(),
          lend(suspect.weakest),
          lend(suspect.strongest),
          suspect.margin(),
          arrays.tags(suspect.proposed),
          suspect.proposed.size(),
          arrays.reasons(suspect.reasons, neighbors),
          suspect.reasons.size(),
          neighbors,
          arrays.names(suspect.neighbor_titles),
          suspect.neighbors.size()};
}

void lend_places(const MapRequest& request, OwnedMap& owned) {
  const std::vector<PlacedDocument>& documents = owned.answer.documents;
  owned.place_count = documents.size();
  owned.places = owned.arrays.keep_each(documents, [](const PlacedDocument& document) {
    return kindred_map_place{document.docid, document.place.unit, document.place.topic};
  });
  if (!request.ids) return;
  owned.place_ids = owned.arrays.keep_each(
      documents, [](const PlacedDocument& document) { return lend(document.id); });
}

}  // namespace

kindred_labels_result* make_result(LabelCounts&& answer) {
  auto owned = own<OwnedLabels>(std::move(answer));
  owned->revision = owned->answer.revision;
  owned->label_count = owned->answer.labels.size();
  owned->labels = owned->arrays.keep_each(owned->answer.labels, [](const LabelCount& label) {
    return kindred_label{lend(label.name), label.documents, label.predicted, label.rejected};
  });
  return owned.release();
}

kindred_matching_result* make_result(MatchingDocuments&& answer) {
  auto owned = own<OwnedMatching>(std::move(answer));
  const MatchingDocuments& source = owned->answer;
  owned->revision = source.revision;
  owned->found = source.found;
  owned->docids = source.docids.data();
  owned->ids = owned->arrays.names(source.ids);
  owned->titles = owned->arrays.names(source.titles);
  owned->count = source.docids.size();
  return owned.release();
}

kindred_documents_result* make_result(StoredDocuments&& answer) {
  auto owned = own<OwnedDocuments>(std::move(answer));
  LentArrays& arrays = owned->arrays;
  owned->revision = owned->answer.revision;
  owned->document_count = owned->answer.documents.size();
  owned->documents = arrays.keep_each(
      owned->answer.documents, [&](const auto& each) { return lend_document(each, arrays); });
  return owned.release();
}

kindred_suspects_result* make_result(SuspectReport&& answer) {
  auto owned = own<OwnedSuspects>(std::move(answer));
  LentArrays& arrays = owned->arrays;
  owned->revision = owned->answer.revision;
  owned->examined = owned->answer.examined;
  owned->found = owned->answer.found;
  owned->suspect_count = owned->answer.suspects.size();
  owned->suspects = arrays.keep_each(owned->answer.suspects,
                                     [&](const auto& each) { return lend_suspect(each, arrays); });
  return owned.release();
}

kindred_map_result* make_result(PlacedDocuments&& answer, const MapRequest& request) {
  auto owned = own<OwnedMap>(std::move(answer));
  const TopicMap& map = *owned->answer.map;
  owned->revision = map.origin.revision;
  owned->index_revision = owned->answer.revision;
  owned->stamp = lend(map.stamp);
  owned->rows = map.origin.rows;
  owned->columns = map.origin.columns;
  owned->hexagonal = map.origin.hexagonal ? 1 : 0;
  owned->toroidal = map.origin.toroidal ? 1 : 0;
  owned->unit_count = map.units.size();
  owned->units = owned->arrays.keep_each(map.units, [](const TopicUnit& unit) {
    return kindred_map_unit{unit.x,         unit.y,      unit.topic,
                            unit.documents, unit.height, lend(unit.label)};
  });
  lend_places(request, *owned);
  return owned.release();
}

kindred_analysis* make_result(AnalyzedText&& answer) {
  auto owned = own<OwnedAnalysis>(std::move(answer));
  LentArrays& arrays = owned->arrays;
  owned->language = lend(owned->answer.language);
  owned->prefix = lend(owned->answer.prefix);
  owned->word_count = owned->answer.words.size();
  owned->words = arrays.keep_each(owned->answer.words, [&](const AnalyzedWord& word) {
    return kindred_word{lend(word.word),        lend(word.term),           word.position,
                        word.stop_word ? 1 : 0, arrays.names(word.joined), word.joined.size()};
  });
  return owned.release();
}

kindred_query* make_result(ParsedQuery&& answer) {
  auto owned = own<OwnedQuery>(std::pair(answer.query.serialise(), std::move(answer.words)));
  const auto& [serialized, words] = owned->answer;
  LentArrays& arrays = owned->arrays;
  owned->serialized = lend(serialized);
  owned->word_count = words.size();
  owned->words = arrays.keep_each(words, [&](const QueryWord& word) {
    return kindred_query_word{lend(word.word), arrays.names(word.terms), word.terms.size()};
  });
  return owned.release();
}

kindred_json* make_json(const nlohmann::ordered_json& json) {
  auto owned =
      own<OwnedJson>(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  owned->json = lend(owned->answer);
  return owned.release();
}

void delete_result(kindred_labels_result* result) noexcept {
  delete static_cast<OwnedLabels*>(result);
}
void delete_result(kindred_matching_result* result) noexcept {
  delete static_cast<OwnedMatching*>(result);
}
void delete_result(kindred_documents_result* result) noexcept {
  delete static_cast<OwnedDocuments*>(result);
}
void delete_result(kindred_suspects_result* result) noexcept {
  delete static_cast<OwnedSuspects*>(result);
}
void delete_result(kindred_map_result* result) noexcept { delete static_cast<OwnedMap*>(result); }
void delete_result(kindred_analysis* result) noexcept {
  delete static_cast<OwnedAnalysis*>(result);
}
void delete_result(kindred_query* result) noexcept { delete static_cast<OwnedQuery*>(result); }
void delete_result(kindred_json* result) noexcept { delete static_cast<OwnedJson*>(result); }

kindred_delete_report make_report(const DeletionReport& report) {
  return {sizeof(kindred_delete_report), report.deleted, report.unknown};
}

namespace {

constexpr std::uint64_t kToldAfter = 1000;  // documents between two reports of progress

class Stopwatch {
 public:
  double seconds() const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    return took.count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

ClassifyRequest read_how(const kindred_classify_request* given) {
  ClassifyRequest how = read_classify_request(given);
  if (given != nullptr) check_flags(given->flags, 0, "request.how.flags");
  how.scores = true;
  return how;
}

CrossValidation read_division(const kindred_evaluate_request& request) {
  if (request.seed < 0) throw Error(Errc::kInvalidArgument, "request.seed: expected at least 0");
  return {request.folds, static_cast<std::uint64_t>(request.seed)};
}

}  // namespace

nlohmann::ordered_json evaluate(const Engine& engine, const kindred_evaluate_request* given) {
  const Stopwatch watch;
  const kindred_evaluate_request defaults = KINDRED_EVALUATE_REQUEST_INIT;
  const auto request = read_struct(given != nullptr ? given : &defaults, "request");
  check_flags(request.flags, KINDRED_PER_LABEL | KINDRED_CONFUSION, "request.flags");
  const auto tell = read_progress(request.progress, request.progress_user);
  const std::uint64_t all = engine.status().labeled;
  if (all == 0) throw Error(Errc::kNotFound, engine.path() + ": no documents with labels");
  std::uint64_t done = 0;
  Evaluation evaluation(engine.labels());
  engine.cross_validate(
      read_division(request), read_how(request.how), [&](const auto& truth, const auto& predicted) {
        evaluation.add(truth, predicted);
        ++done;
        if (!tell || (done % kToldAfter != 0 && done != all) || tell(done, all)) return;
        throw Error(Errc::kCanceled, "evaluation: canceled after " + std::to_string(done) + " of " +
                                         std::to_string(all) + " documents");
      });
  const ShownParts parts = {(request.flags & KINDRED_PER_LABEL) != 0,
                            (request.flags & KINDRED_CONFUSION) != 0};
  return evaluation_json(evaluation, watch.seconds(), parts);
}

}  // namespace kindred
