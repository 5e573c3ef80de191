#include "plugin/c_api/results.h"

#include <string>
#include <utility>
#include <vector>

namespace kindred {
namespace {

// Each owns the answer that its base points into, so it can be neither moved nor copied.
struct OwnedRelated : kindred_related_result {
  RelatedResult answer;
  std::vector<kindred_related_document> document_list;
};

struct OwnedClassification : kindred_classification {
  Classification answer;
  std::vector<kindred_tag> tag_list, withheld_list;
  kindred_tag best_tag;
  std::vector<kindred_neighbor> neighbor_list;
  std::vector<std::vector<kindred_string>> label_lists;  ///< of the neighbors
};

struct OwnedAnswer : kindred_answer {
  std::string text;
};

/// What these return borrows from the argument.
kindred_string lend(const std::string& text) { return {text.c_str(), text.size()}; }
kindred_tag lend(const Tag& tag) { return {lend(tag.label), tag.confidence}; }

std::vector<kindred_tag> lend(const std::vector<Tag>& tags) {
  std::vector<kindred_tag> lent;
  for (const Tag& tag : tags) lent.push_back(lend(tag));
  return lent;
}

void lend_neighbors(OwnedClassification& owned) {
  for (const Voter& voter : owned.answer.neighbors) {
    std::vector<kindred_string>& labels = owned.label_lists.emplace_back();
    for (const std::string& label : voter.labels) labels.push_back(lend(label));
    owned.neighbor_list.push_back(
        {voter.docid, voter.similarity, lend(voter.id), labels.data(), labels.size()});
  }
  owned.neighbors = owned.neighbor_list.data();
  owned.neighbor_count = owned.neighbor_list.size();
}

}  // namespace

kindred_related_result* make_result(RelatedResult&& answer) {
  auto owned = std::make_unique<OwnedRelated>();
  owned->answer = std::move(answer);
  for (const Related& document : owned->answer.results)
    owned->document_list.push_back(
        {document.docid, document.similarity, lend(document.id), lend(document.title)});
  owned->revision = owned->answer.revision;
  owned->documents = owned->document_list.data();
  owned->document_count = owned->document_list.size();
  return owned.release();
}

kindred_classification* make_result(Classification&& answer) {
  auto owned = std::make_unique<OwnedClassification>();
  owned->answer = std::move(answer);
  const Classification& source = owned->answer;
  owned->revision = source.revision;
  owned->tag_list = lend(source.tags);
  owned->tags = owned->tag_list.data();
  owned->tag_count = source.tags.size();
  if (source.best) owned->best_tag = lend(*source.best);
  owned->best = source.best ? &owned->best_tag : nullptr;
  owned->withheld_list = lend(source.withheld);
  owned->withheld = owned->withheld_list.data();
  owned->withheld_count = source.withheld.size();
  lend_neighbors(*owned);
  return owned.release();
}

kindred_answer* make_result(std::string&& answer) {
  auto owned = std::make_unique<OwnedAnswer>();
  owned->text = std::move(answer);
  owned->json = lend(owned->text);
  return owned.release();
}

void delete_result(kindred_related_result* result) noexcept {
  delete static_cast<OwnedRelated*>(result);
}

void delete_result(kindred_classification* result) noexcept {
  delete static_cast<OwnedClassification*>(result);
}

void delete_result(kindred_answer* result) noexcept { delete static_cast<OwnedAnswer*>(result); }

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
  tags = lend(report.tags);
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

}  // namespace kindred
