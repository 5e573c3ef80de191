#include "plugin/classify/suspect_search.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "config/error.h"
#include "plugin/classify/classifier.h"
#include "plugin/classify/cross_validation.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kToldAfter = 1000;  // documents between two reports of progress

using Rows = std::vector<std::uint32_t>;

/// The labels that a document must not get. Only documents that are marked have any.
std::vector<std::string> rejected_of(MirroredDatabase& database, const Snapshot& snapshot,
                                     std::uint32_t row) {
  if (!snapshot.mirror().marked.has(row)) return {};
  return database.tags_of(snapshot, row).tags.limits.rejected;
}

/// Compares a document's labels with the vote. `scores`: confidence descending.
Suspect judge(const Mirror& mirror, std::uint32_t row, const std::vector<Tag>& scores,
              const std::vector<std::string>& rejected) {
  Suspect suspect;
  suspect.id = std::string(mirror.ids[row]);
  suspect.docid = mirror.docids[row];
  suspect.labels = mirror.labels.names_of(row);
  std::vector<Tag> own;
  for (const std::string& label : suspect.labels) own.push_back({label, 0});
  for (const Tag& score : scores) {
    const auto mine = std::find_if(own.begin(), own.end(),
                                   [&](const Tag& tag) { return tag.label == score.label; });
    if (mine != own.end()) {
      mine->confidence = score.confidence;
    } else if (suspect.strongest.label.empty() &&
               std::find(rejected.begin(), rejected.end(), score.label) == rejected.end()) {
      suspect.strongest = score;
    }
  }
  suspect.weakest = *std::min_element(own.begin(), own.end(), [](const Tag& a, const Tag& b) {
    return a.confidence < b.confidence;
  });
  return suspect;
}

/// A suspect that may be reported, and its row.
struct RankedSuspect {
  std::uint32_t row;
  Suspect suspect;
};

void tell(const SuspectsRequest& request, std::size_t classified, std::size_t all) {
  if (!request.on_progress || request.on_progress(classified, all)) return;
  throw Error(Errc::kCanceled, "suspects: canceled after " + std::to_string(classified) + " of " +
                                   std::to_string(all) + " documents");
}

Rows labeled_rows(const Mirror& mirror, const RowSet* asked) {
  RowSet labeled = mirror.labeled;
  if (asked != nullptr) labeled &= *asked;
  return labeled.to_vector();
}

bool comes_before(const RankedSuspect& a, const RankedSuspect& b) {
  const double margin_a = a.suspect.margin(), margin_b = b.suspect.margin();
  return margin_a != margin_b ? margin_a > margin_b : a.row < b.row;
}

}  // namespace

SuspectReport find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                            const Classifier& classifier, const SuspectsRequest& request,
                            const RowSet* asked, const RowSet* voters) {
  if (request.limit < 1) throw Error(Errc::kInvalidArgument, "limit: expected at least 1");
  const Mirror& mirror = snapshot.mirror();
  std::vector<RankedSuspect> candidates;
  ClassifyRequest scores;
  scores.scores = true;
  const Rows labeled = labeled_rows(mirror, asked);
  std::size_t classified = 0;
  classify_rows(snapshot, classifier, labeled, scores, voters,
                [&](std::uint32_t row, const Classification& result) {
                  RankedSuspect candidate{
                      row, judge(mirror, row, result.scores, rejected_of(database, snapshot, row))};
                  if (candidate.suspect.margin() > 0) candidates.push_back(std::move(candidate));
                  ++classified;
                  if (classified % kToldAfter == 0 || classified == labeled.size())
                    tell(request, classified, labeled.size());
                });
  SuspectReport report{
      mirror.revision, labeled.size(), candidates.size(), {}, mirror.shard_revisions};
  std::sort(candidates.begin(), candidates.end(), comes_before);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(request.limit)));
  Rows rows;
  for (const RankedSuspect& candidate : candidates) rows.push_back(candidate.row);
  std::vector<Suspect>& suspects = report.suspects;
  ClassifyRequest reasons;
  reasons.explain = true;
  classify_rows(snapshot, classifier, rows, reasons, voters,
                [&](std::uint32_t, const Classification& result) {
                  suspects.push_back(std::move(candidates[suspects.size()].suspect));
                  suspects.back().proposed = result.tags;
                  suspects.back().reasons = result.reasons;
                  suspects.back().neighbors = result.neighbors;
                });
  return report;
}

}  // namespace kindred
