#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/answers.h"
#include "plugin/kindred.h"
#include "plugin/writing/ingest.h"

// Lays out answers as the C ABI has them. A result owns what its pointers lead to.
namespace kindred {

kindred_related_result* make_result(RelatedResult&& answer);
kindred_classification* make_result(Classification&& answer);
kindred_answer* make_result(std::string&& answer);

void delete_result(kindred_related_result* result) noexcept;
void delete_result(kindred_classification* result) noexcept;
void delete_result(kindred_answer* result) noexcept;

/// Holds a classification until the host gets it.
struct DeleteResult {
  void operator()(kindred_classification* result) const noexcept { delete_result(result); }
};
using ResultPtr = std::unique_ptr<kindred_classification, DeleteResult>;

kindred_ingest_report make_report(const IngestReport& report);
/// Borrows from `report` and `tags`, which it fills.
kindred_document_report make_report(const DocumentReport& report, std::vector<kindred_tag>& tags);

}  // namespace kindred
