#include "plugin/classify/suspect_search.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "config/error.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kClassifiedAtOnce = 1000;  // documents classified at a time

using Rows = std::vector<std::uint32_t>;

/// Shuffles by Fisher and Yates, the same on every platform, and deals out. Each part ascends.
std::vector<Rows> deal(Rows rows, std::size_t folds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = rows.size(); left > 1; --left) {
    std::swap(rows[left - 1], rows[random() % left]);
  }
  std::vector<Rows> dealt(std::min(folds, rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) dealt[i % dealt.size()].push_back(rows[i]);
  for (Rows& fold : dealt) std::sort(fold.begin(), fold.end());
  return dealt;
}

/// The voters (null: all labeled rows) that are not in a fold.
RowSet others(const Mirror& mirror, const Rows& fold, const RowSet* voters) {
  RowSet rows = mirror.labeled;
  if (voters != nullptr) rows &= *voters;
  for (const std::uint32_t row : fold) rows.reset(row);
  return rows;
}

std::vector<Classification> classify_batch(const Snapshot& snapshot, const Classifier& classifier,
                                           std::span<const std::uint32_t> rows,
                                           const ClassifyRequest& request, const RowSet* voters) {
  Queries queries;
  std::vector<QueriedDocument> documents;
  for (const std::uint32_t row : rows) {
    snapshot.weigh_for_tags(row, queries);
    documents.push_back(classifier.document_of(row));
  }
  return classifier.classify(queries, documents, request, voters);
}

constexpr std::size_t kToldAfter = 1000;  // documents between two reports of progress
constexpr double kClear = 0.95;           // confidence of the lacking tag if a suspect is clear
constexpr double kNearlyNothing = 0.05;   // confidence in a label that seems wrong, at most

/// Which labels are hardly ever found on one document.
class LabelPairs {
 public:
  explicit LabelPairs(const Mirror& mirror)
      : documents_(mirror.labels.documents), beside_(mirror.labels.names.size()) {
    documents_.resize(beside_.size());
    mirror.labeled.for_each([&](std::uint32_t row) {
      ++labeled_;
      const auto labels = mirror.labels.of(row);
      for (const std::uint32_t label : labels) beside_[label] += labels.size() - 1;
      for (std::size_t i = 1; i < labels.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) ++together_[key(labels[k], labels[i])];
    });
  }

  /// True if labels as frequent as these would be found on a document by chance, or if one of them
  /// stands alone on its documents, and yet they are not.
  bool exclude(std::uint32_t a, std::uint32_t b) const {
    const double documents_a = documents_[a], documents_b = documents_[b];
    const auto found = together_.find(key(std::min(a, b), std::max(a, b)));
    const double together = found == together_.end() ? 0 : found->second;
    if (together > 0.02 * std::min(documents_a, documents_b)) return false;
    const double by_chance = documents_a * documents_b / static_cast<double>(labeled_);
    return by_chance >= 1 || stands_alone(a) || stands_alone(b);
  }

 private:
  static std::uint64_t key(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint64_t>(low) << 32 | high;
  }
  bool stands_alone(std::uint32_t label) const {
    return static_cast<double>(beside_[label]) <= 0.05 * documents_[label];
  }

  std::vector<std::uint32_t> documents_;  // of each label
  std::vector<std::uint64_t> beside_;     // other labels on these, in all
  std::unordered_map<std::uint64_t, std::uint32_t> together_;
  std::uint64_t labeled_ = 0;
};

/// A suspect before it is described. `rival`: of a wrong label.
struct RankedSuspect {
  std::uint32_t row = 0;
  Tag label, rival;
  double margin = 0;  // by which they are sorted
};

/// Where a document's labels and the vote differ.
class SuspectSearch {
 public:
  SuspectSearch(MirroredDatabase& database, const Mirror& mirror)
      : database_(database), mirror_(mirror), pairs_(mirror) {}

  std::vector<RankedSuspect> missing, wrong;

  void add(const Snapshot& snapshot, std::uint32_t row, const Classification& result) {
    const auto labels = mirror_.labels.of(row);
    std::vector<std::string> rejected;  // only documents that are marked have any
    if (mirror_.marked.has(row)) rejected = database_.tags_of(snapshot, row).tags.limits.rejected;
    std::vector<Tag> rivals(labels.size());  // of each label, the strongest
    for (const Tag& tag : result.tags) {
      const auto number = mirror_.labels.names.find(tag.label);
      if (!number || std::ranges::find(labels, *number) != labels.end() ||
          std::ranges::find(rejected, tag.label) != rejected.end())
        continue;
      bool is_rival = false;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!pairs_.exclude(*number, labels[i])) continue;
        is_rival = true;
        if (rivals[i].label.empty()) rivals[i] = tag;
      }
      if (!is_rival) missing.push_back({row, tag, {}, tag.confidence});
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Tag own = score_of(std::string(mirror_.labels.names[labels[i]]), result.scores);
      if (!rivals[i].label.empty() && own.confidence <= kNearlyNothing)
        wrong.push_back({row, own, rivals[i], rivals[i].confidence - own.confidence});
    }
  }

 private:
  static Tag score_of(const std::string& label, const std::vector<Tag>& scores) {
    const auto found = std::ranges::find(scores, label, &Tag::label);
    return found == scores.end() ? Tag{label, 0} : *found;
  }

  MirroredDatabase& database_;
  const Mirror& mirror_;
  const LabelPairs pairs_;
};

/// Sorts a list, and takes the part of it that was asked for, without what describes documents.
SuspectList asked_part(std::vector<RankedSuspect>& ranked, const SuspectsRequest& request) {
  SuspectList list;
  list.found = ranked.size();
  const auto confidence = [](const RankedSuspect& suspect) {
    return suspect.rival.label.empty() ? suspect.label.confidence : suspect.rival.confidence;
  };
  list.clear = std::ranges::count_if(
      ranked, [&](const RankedSuspect& suspect) { return confidence(suspect) >= kClear; });
  std::ranges::stable_sort(ranked, [](const RankedSuspect& a, const RankedSuspect& b) {
    return a.margin != b.margin ? a.margin > b.margin : a.row < b.row;
  });
  const auto after = static_cast<std::size_t>(request.after);
  ranked.erase(ranked.begin(), ranked.begin() + std::min(after, ranked.size()));
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(request.limit)));
  return list;
}

}  // namespace

void classify_rows(
    const Snapshot& snapshot, const Classifier& classifier, const std::vector<std::uint32_t>& rows,
    const ClassifyRequest& request, const RowSet* voters,
    const std::function<void(std::uint32_t row, const Classification& prediction)>& on_classified) {
  for (std::size_t begin = 0; begin < rows.size(); begin += kClassifiedAtOnce) {
    const auto batch =
        std::span(rows).subspan(begin, std::min(kClassifiedAtOnce, rows.size() - begin));
    const auto results = classify_batch(snapshot, classifier, batch, request, voters);
    for (std::size_t i = 0; i < batch.size(); ++i) on_classified(batch[i], results[i]);
  }
}

void cross_validate(const Snapshot& snapshot, const Classifier& classifier,
                    const CrossValidation& how, const ClassifyRequest& request,
                    const RowSet* voters, const OnClassified& on_classified) {
  if (how.folds < 0 || how.folds == 1) {
    throw Error(Errc::kInvalidArgument, "folds: expected at least 2, or 0 for leave-one-out");
  }
  const Mirror& mirror = snapshot.mirror();
  const auto classify = [&](const Rows& rows, const RowSet* by) {
    classify_rows(snapshot, classifier, rows, request, by,
                  [&](std::uint32_t row, const Classification& prediction) {
                    on_classified(mirror.labels.names_of(row), prediction);
                  });
  };
  const Rows rows = mirror.labeled.to_vector();
  if (how.folds == 0) return classify(rows, voters);
  for (const Rows& fold : deal(rows, static_cast<std::size_t>(how.folds), how.seed)) {
    const RowSet rest = others(mirror, fold, voters);
    classify(fold, &rest);
  }
}

SuspectReport find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                            const Classifier& classifier, const SuspectsRequest& request,
                            const RowSet* asked, const RowSet* voters) {
  if (request.limit < 1) throw Error(Errc::kInvalidArgument, "limit: expected at least 1");
  if (request.after < 0) throw Error(Errc::kInvalidArgument, "after: expected at least 0");
  const Mirror& mirror = snapshot.mirror();
  RowSet rows = mirror.labeled;
  if (asked != nullptr) rows &= *asked;
  const std::vector<std::uint32_t> labeled = rows.to_vector();
  SuspectSearch search(database, mirror);
  ClassifyRequest scores;
  scores.scores = true;
  std::size_t classified = 0;
  classify_rows(snapshot, classifier, labeled, scores, voters,
                [&](std::uint32_t row, const Classification& result) {
                  search.add(snapshot, row, result);
                  ++classified;
                  if (classified % kToldAfter != 0 && classified != labeled.size()) return;
                  if (!request.on_progress || request.on_progress(classified, labeled.size()))
                    return;
                  throw Error(Errc::kCanceled, "suspects: canceled after " +
                                                   std::to_string(classified) + " of " +
                                                   std::to_string(labeled.size()) + " documents");
                });
  SuspectReport report;
  report.revision = mirror.revision;
  report.shards = mirror.shard_revisions;
  report.examined = labeled.size();
  ClassifyRequest reasons;
  reasons.explain = true;
  const auto explain = [&](std::vector<RankedSuspect>& ranked, SuspectList& list) {
    list = asked_part(ranked, request);
    std::vector<std::uint32_t> shown(ranked.size());
    std::ranges::transform(ranked, shown.begin(), &RankedSuspect::row);
    classify_rows(snapshot, classifier, shown, reasons, voters,
                  [&](std::uint32_t row, const Classification& result) {
                    RankedSuspect& found = ranked[list.suspects.size()];
                    Suspect& suspect = list.suspects.emplace_back();
                    suspect.id = mirror.id_of(row);
                    suspect.docid = mirror.docids[row];
                    suspect.labels = mirror.labels.names_of(row);
                    suspect.label = std::move(found.label);
                    suspect.rival = std::move(found.rival);
                    suspect.proposed = result.tags;
                    suspect.reasons = result.reasons;
                    suspect.neighbors = result.neighbors;
                  });
  };
  explain(search.missing, report.missing);
  explain(search.wrong, report.wrong);
  return report;
}

}  // namespace kindred
