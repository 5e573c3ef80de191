#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/answers/curation.h"
#include "plugin/answers/related.h"
#include "plugin/engine.h"
#include "plugin/kindred.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/topics/map.h"
#include "plugin/votes/tuning/tune_request.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"

// Lays out the answers of the C++ face for the C ABI.
namespace kindred {

/// The host sees the base of a larger object; delete_result() deletes all of it.
kindred_related_result* make_result(RelatedResult&& answer);
/// `titles`: of the neighbors; empty if the host does not want them.
kindred_classification* make_result(Classification&& answer, std::vector<std::string> titles = {});
kindred_duplicates_result* make_result(DuplicateReport&& answer);
/// `titles`: of the neighbors of all candidates, one after the other; or empty.
kindred_candidates_result* make_result(CandidateReport&& answer, std::vector<std::string> titles);
kindred_topics_result* make_result(std::shared_ptr<const TopicMap> map);
void delete_result(kindred_related_result* result) noexcept;
void delete_result(kindred_duplicates_result* result) noexcept;
void delete_result(kindred_candidates_result* result) noexcept;
void delete_result(kindred_topics_result* result) noexcept;
void delete_result(kindred_classification* result) noexcept;
void delete_result(kindred_tune_result* result) noexcept;

/// Deletes a result that the host does not have yet.
struct DeleteResult {
  template <typename Result>
  void operator()(Result* result) const noexcept {
    delete_result(result);
  }
};
using ResultPtr = std::unique_ptr<kindred_classification, DeleteResult>;
using TuneResultPtr = std::unique_ptr<kindred_tune_result, DeleteResult>;

/// The report as JSON. `file`: where the tuning will be stored, or "".
kindred_tune_result* make_result(const TuneReport& report, const std::string& file, double seconds);

kindred_topic_place make_place(const TopicPlacement& place);
kindred_status make_status(const Status& status);
kindred_ingest_report make_report(const IngestReport& report);
/// Borrows from `report` and `tags`, which it fills.
kindred_document_report make_report(const DocumentReport& report, std::vector<kindred_tag>& tags);
kindred_tag_report make_report(const TagReport& report);
kindred_assign_report make_report(const AssignReport& report);
kindred_store_related_report make_report(const StoreRelatedReport& report);

}  // namespace kindred
