#pragma once

#include <nlohmann/json.hpp>

#include "plugin/answers/curation.h"
#include "plugin/answers/documents.h"
#include "plugin/answers/surveys.h"
#include "plugin/answers/topics.h"
#include "plugin/c_api/curation_requests.h"
#include "plugin/engine.h"
#include "plugin/kindred.h"
#include "plugin/writing/edits.h"

// What results.h is for, for the functions of kindred_curation.h.

namespace kindred {

kindred_labels_result* make_result(LabelCounts&& answer);
kindred_matching_result* make_result(MatchingDocuments&& answer);
kindred_documents_result* make_result(StoredDocuments&& answer);
kindred_suspects_result* make_result(SuspectReport&& answer);
kindred_map_result* make_result(PlacedDocuments&& answer, const MapRequest& request);
kindred_analysis* make_result(AnalyzedText&& answer);
kindred_query* make_result(ParsedQuery&& answer);
kindred_json* make_json(const nlohmann::ordered_json& json);

void delete_result(kindred_labels_result* result) noexcept;
void delete_result(kindred_matching_result* result) noexcept;
void delete_result(kindred_documents_result* result) noexcept;
void delete_result(kindred_suspects_result* result) noexcept;
void delete_result(kindred_map_result* result) noexcept;
void delete_result(kindred_analysis* result) noexcept;
void delete_result(kindred_query* result) noexcept;
void delete_result(kindred_json* result) noexcept;

kindred_delete_report make_report(const DeletionReport& report);

/// What kindred_evaluate() answers. `request` may be NULL. @throws Error as it says.
nlohmann::ordered_json evaluate(const Engine& engine, const kindred_evaluate_request* request);

}  // namespace kindred
