#include "plugin/classify/candidate_search.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/classify/classifier.h"
#include "plugin/input/label_name.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kCandidatesAtOnce = 1000;  // documents between two reports of progress
constexpr std::size_t kNamesShown = 3;           // of labels, if none has the name asked for

void check(const CandidatesRequest& request) {
  if (request.limit < 1) throw Error(Errc::kInvalidArgument, "limit: expected at least 1");
  if (!(request.min_confidence >= 0 && request.min_confidence <= 1))
    throw Error(Errc::kInvalidArgument, "min_confidence: expected a number from 0 to 1");
}

/// The number of a label. @throws Error kNotFound, with the nearest names.
std::uint32_t number_of_label(const Mirror& mirror, const std::string& asked) {
  const std::string label = label_name(asked);
  const StringTable& names = mirror.labels.names;
  if (const auto number = names.find(label)) return *number;
  std::vector<std::string> known;
  for (std::uint32_t i = 0; i < names.size(); ++i) known.emplace_back(names[i]);
  std::string nearest;
  for (const std::string& name : nearest_of(label, known, kNamesShown))
    nearest += (nearest.empty() ? "; the nearest names are '" : "', '") + name;
  if (!nearest.empty()) nearest += "'";
  throw Error(Errc::kNotFound, "no document has the label '" + label + "'" + nearest);
}

bool contains(const std::vector<std::string>& labels, std::string_view label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

struct RankedCandidate {
  std::uint32_t row = 0;
  double confidence = 0;
};

class CandidateSearch {
 public:
  CandidateSearch(MirroredDatabase& database, const Snapshot& snapshot,
                  const Classifier& classifier, const CandidatesRequest& request,
                  const RowSet* allowed, const RowSet* voters)
      : database_(database),
        snapshot_(snapshot),
        mirror_(snapshot.mirror()),
        classifier_(classifier),
        request_(request),
        allowed_(allowed),
        voters_(voters),
        label_(number_of_label(mirror_, request.label)) {
    report_.revision = mirror_.revision;
    report_.shards = mirror_.shard_revisions;
  }

  CandidateReport run() {
    const std::vector<std::uint32_t> rows = rows_without_label();
    report_.examined = rows.size();
    std::vector<RankedCandidate> found;
    for (std::size_t begin = 0; begin < rows.size(); begin += kCandidatesAtOnce) {
      const auto batch =
          std::span(rows).subspan(begin, std::min(kCandidatesAtOnce, rows.size() - begin));
      rank(batch, found);
      tell(begin + batch.size(), rows.size());
    }
    std::ranges::stable_sort(
        found, [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    report_.found = found.size();
    found.resize(std::min(found.size(), static_cast<std::size_t>(request_.limit)));
    describe(found);
    if (request_.explain) give_reasons(found);
    return std::move(report_);
  }

 private:
  /// Ascending. If predicted tags vote, the mirror has them among the labels. Then some rows that
  /// have the label may have it only as a predicted one.
  std::vector<std::uint32_t> rows_without_label() const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < mirror_.rows(); ++row) {
      if (allowed_ != nullptr && !allowed_->has(row)) continue;
      const auto labels = mirror_.labels.of(row);
      const bool has_label = std::binary_search(labels.begin(), labels.end(), label_);
      const bool perhaps_predicted = request_.include_predicted && mirror_.tagged.has(row);
      if (!has_label || perhaps_predicted) rows.push_back(row);
    }
    return rows;
  }

  /// One classification for each row, with the label as its only tag if it got a vote.
  std::vector<Classification> classify(std::span<const std::uint32_t> rows, bool explain) const {
    Queries queries;
    std::vector<QueriedDocument> documents;
    for (const std::uint32_t row : rows) {
      snapshot_.weigh_for_tags(row, queries);
      documents.push_back(classifier_.document_of(row));
    }
    ClassifyRequest request;
    request.explain = explain;
    return classifier_.classify(queries, documents, request, voters_, label_);
  }

  /// Adds the candidates among rows.
  void rank(std::span<const std::uint32_t> rows, std::vector<RankedCandidate>& found) const {
    const std::vector<Classification> results = classify(rows, false);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (results[i].tags.empty()) continue;
      const double confidence = results[i].tags.front().confidence;
      if (confidence >= request_.min_confidence && may_have_label(rows[i]))
        found.push_back({rows[i], confidence});
    }
  }

  bool may_have_label(std::uint32_t row) const {
    if (!holds_tags(row)) return true;
    const StoredTags tags = database_.tags_of(snapshot_, row).tags;
    const std::string_view label = mirror_.labels.names[label_];
    return tags.limits.auto_tag && !contains(tags.limits.rejected, label) &&
           !contains(tags.labels, label) &&
           (request_.include_predicted || !contains(tags.predicted, label));
  }

  /// False if the mirror has all that the document holds about its tags.
  bool holds_tags(std::uint32_t row) const {
    return mirror_.marked.has(row) || mirror_.tagged.has(row);
  }

  void describe(const std::vector<RankedCandidate>& ranked) {
    for (const auto& [row, confidence] : ranked) {
      Candidate candidate;
      candidate.id = mirror_.id_of(row);
      candidate.docid = mirror_.docids[row];
      candidate.confidence = confidence;
      TitledTags found = database_.tags_of(snapshot_, row);
      candidate.title = std::move(found.title);
      candidate.labels = std::move(found.tags.labels);
      candidate.predicted = std::move(found.tags.predicted);
      report_.candidates.push_back(std::move(candidate));
    }
  }

  void give_reasons(const std::vector<RankedCandidate>& found) {
    for (std::size_t begin = 0; begin < found.size(); begin += kCandidatesAtOnce) {
      std::vector<std::uint32_t> rows;
      for (std::size_t i = begin; i < found.size() && rows.size() < kCandidatesAtOnce; ++i)
        rows.push_back(found[i].row);
      std::vector<Classification> results = classify(rows, true);
      for (std::size_t i = 0; i < results.size(); ++i) {
        Candidate& candidate = report_.candidates[begin + i];
        candidate.neighbors = std::move(results[i].neighbors);
        candidate.reason = std::move(results[i].reasons.front());
      }
    }
  }

  void tell(std::size_t classified, std::size_t all) const {
    if (!request_.on_progress || request_.on_progress(classified, all)) return;
    throw Error(Errc::kCanceled, "candidates: canceled after " + std::to_string(classified) +
                                     " of " + std::to_string(all) + " documents");
  }

  MirroredDatabase& database_;
  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const Classifier& classifier_;
  const CandidatesRequest& request_;
  const RowSet* const allowed_;
  const RowSet* const voters_;
  const std::uint32_t label_;
  CandidateReport report_;
};

}  // namespace

CandidateReport find_candidates(MirroredDatabase& database, const Snapshot& snapshot,
                                const Classifier& classifier, const CandidatesRequest& request,
                                const RowSet* allowed, const RowSet* voters) {
  check(request);
  return CandidateSearch(database, snapshot, classifier, request, allowed, voters).run();
}

}  // namespace kindred
