#pragma once

#include <memory>

#include "plugin/classification.h"
#include "plugin/engine.h"
#include "plugin/ingest.h"
#include "plugin/kindred.h"
#include "plugin/related.h"
#include "plugin/tagging.h"
#include "plugin/topic_assignment.h"
#include "plugin/topic_map.h"

// What the C++ face answers, laid out for the C ABI.
namespace kindred {

/// The host sees the base; delete_result() ends the whole.
kindred_related_result* make_result(RelatedResult&& answer);
kindred_classification* make_result(Classification&& answer);
kindred_topics_result* make_result(std::shared_ptr<const TopicMap> map);
void delete_result(kindred_related_result* result) noexcept;
void delete_result(kindred_topics_result* result) noexcept;
void delete_result(kindred_classification* result) noexcept;

/// A classification until the host has it.
struct DeleteResult {
  void operator()(kindred_classification* result) const noexcept { delete_result(result); }
};
using ResultPtr = std::unique_ptr<kindred_classification, DeleteResult>;

kindred_topic_place make_place(const TopicPlacement& place);
kindred_status make_status(const Status& status);
kindred_ingest_report make_report(const IngestReport& report);
kindred_tag_report make_report(const TagReport& report);
kindred_assign_report make_report(const AssignReport& report);

}  // namespace kindred
