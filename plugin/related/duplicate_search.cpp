#include "plugin/related/duplicate_search.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"
#include "plugin/related/disjoint_sets.h"
#include "plugin/related/similar_documents.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kComparedAtOnce = 1000;         // documents between two reports of progress
constexpr std::size_t kJoinedAtOnce = 20000;          // the same, where it goes quickly
constexpr std::size_t kJoinedInChunk = 250;           // by one thread
constexpr std::size_t kMostNeighborsHeld = 1U << 22;  // at a time, unless a single list is longer

/// The similarities of pairs, from the least to the greatest; at first of none.
struct SimilarityRange {
  float least = std::numeric_limits<float>::infinity();
  float greatest = 0;

  void add(const SimilarityRange& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

struct RowGroup {
  std::uint32_t root = 0;
  std::uint64_t size = 0;
};

/// Equal documents have equal neighbors. So only the first of them, the distinct one, is compared
/// with other distinct ones, and what is found holds for all. An index of many copies is searched
/// quickly, and no list of neighbors is longer than there are distinct documents. Rows number all
/// documents, in their order.
class DuplicateSearch {
 public:
  DuplicateSearch(const Snapshot& snapshot, const DuplicatesRequest& request,
                  const DocumentSet* allowed)
      : snapshot_(snapshot),
        mirror_(snapshot.mirror()),
        request_(request),
        docids_(mirror_.list->numbers()),
        first_equal_(first_equal_rows(*mirror_.list, docids_, allowed, request.pulse)),
        distinct_(mirror_.list),
        repeated_(first_equal_.size()),
        paired_(first_equal_.size()),
        sets_(first_equal_.size()),
        ranges_(first_equal_.size()) {
    static_cast<Origin&>(answer_) = mirror_.origin();
    answer_.examined = allowed != nullptr ? allowed->count() : first_equal_.size();

    for (std::uint32_t row = 0; row < first_equal_.size(); ++row) {
      const std::uint32_t first = first_equal_[row];
      if (first == row) distinct_.insert(docids_[row]);
      if (first != kNoEqualRow && first != row) repeated_.set(first);
    }
  }

  api::DuplicatesAnswer run() {
    compare_all();
    fill_answer();
    return std::move(answer_);
  }

 private:
  void compare_all() {
    // Either through the terms that documents share, or by searches, whichever will be quicker.
    const std::vector<Xapian::docid> docids = distinct_.numbers();
    if (shared_terms_are_quicker(snapshot_, docids, request_.min_similarity, request_.pulse)) {
      join(docids, SimilarDocuments(snapshot_, docids, request_.min_similarity, request_.pulse));
      return;
    }

    for (std::size_t begin = 0; begin < docids.size(); begin += kComparedAtOnce) {
      const auto batch =
          std::span(docids).subspan(begin, std::min(kComparedAtOnce, docids.size() - begin));

      visit_neighbors(
          snapshot_, batch, distinct_, docids.size(),
          [&](std::size_t i, auto neighbors) {
            return see(batch[i], neighbors);
          },
          request_.pulse);
      report_progress(begin + batch.size(), docids.size());
    }
  }

  /// Sees the neighbors of all these documents. As many at a time as surely fit into memory.
  void join(std::span<const Xapian::docid> docids, const SimilarDocuments& similar) {
    const std::size_t threads = snapshot_.voting().threads();
    std::size_t begin = 0;
    std::size_t end = 0;
    while (begin < docids.size()) {
      // So many documents that their lists surely fit; a single one even if it does not.
      std::uint64_t held = 0;
      while (end < docids.size() && end - begin < kJoinedAtOnce &&
             (end == begin || held + similar.most_compared(end) <= kMostNeighborsHeld)) {
        held += similar.most_compared(end);
        ++end;
      }

      // Lists are found by all threads, and joined by this one, in the order of documents.
      std::vector<std::vector<Neighbor>> found(end - begin);
      for_each_chunk(found.size(), kJoinedInChunk, threads,
                     [&](std::size_t first, std::size_t last) {
                       for (std::size_t i = first; i < last; ++i) {
                         request_.pulse();
                         found[i] = similar.of(begin + i);
                       }
                     });

      for (std::size_t i = 0; i < found.size(); ++i) {
        request_.pulse();
        see(docids[begin + i], found[i]);
      }

      report_progress(end, docids.size());
      begin = end;
    }
  }

  std::uint32_t row_of(Xapian::docid docid) const {
    const auto found = std::ranges::lower_bound(docids_, docid);
    if (found == docids_.end() || *found != docid) refuse_neighbor(docid);
    return static_cast<std::uint32_t>(found - docids_.begin());
  }

  /// Joins a document with its neighbors. True if they go on below the threshold, or are all there
  /// are.
  bool see(Xapian::docid docid, std::span<const Neighbor> neighbors) {
    // The list is in the order of similarity, so the first one below the threshold ends it.
    const std::uint32_t row = row_of(docid);
    for (const Neighbor& neighbor : neighbors) {
      if (neighbor.number == kNoDocument || neighbor.similarity < request_.min_similarity)
        return true;

      // A document that has equals has a pair even if it finds itself alone.
      paired_.set(row);
      if (neighbor.number == docid && !repeated_.has(row)) continue;  // there is no pair

      ranges_[row].add({neighbor.similarity, neighbor.similarity});
      sets_.unite(row, row_of(neighbor.number));
    }
    return false;
  }

  void report_progress(std::size_t compared, std::size_t all) const {
    if (!request_.on_progress || request_.on_progress(compared, all)) return;
    throw Error(Errc::kCanceled, "duplicates: canceled after " + std::to_string(compared) + " of " +
                                     std::to_string(all) + " documents");
  }

  /// Calls visit(row, root of its set) for every row that has a neighbor down to the threshold,
  /// perhaps only itself.
  template <typename Visit>
  void for_each_paired(Visit&& visit) {
    for (std::uint32_t row = 0; row < first_equal_.size(); ++row) {
      const std::uint32_t first = first_equal_[row];
      if (first != kNoEqualRow && paired_.has(first)) visit(row, sets_.root(first));
    }
  }

  /// All groups, in the order of the answer.
  std::vector<RowGroup> ordered_groups() {
    // Copies count in the group of the first of them.
    std::vector<std::uint32_t> sizes(first_equal_.size());
    for_each_paired([&](std::uint32_t, std::uint32_t root) {
      ++sizes[root];
    });

    std::vector<RowGroup> groups;
    for (std::uint32_t root = 0; root < sizes.size(); ++root)
      if (sizes[root] > 1) groups.push_back({root, sizes[root]});

    // Equal sizes stay in the order of the first document.
    std::ranges::stable_sort(groups, std::greater(), &RowGroup::size);
    return groups;
  }

  void fill_answer() {
    const std::vector<RowGroup> groups = ordered_groups();
    answer_.found = groups.size();
    for (const RowGroup& group : groups) answer_.grouped += group.size;

    // Documents and similarities are collected only for the groups that are shown.
    const auto shown = std::min(groups.size(), static_cast<std::size_t>(request_.limit));
    std::unordered_map<std::uint32_t, std::size_t> index;
    for (std::size_t i = 0; i < shown; ++i) {
      index.emplace(groups[i].root, i);
    }

    std::vector<SimilarityRange> ranges(shown);
    answer_.groups.resize(shown);

    for_each_paired([&](std::uint32_t row, std::uint32_t root) {
      const auto found = index.find(root);
      if (found == index.end()) return;
      answer_.groups[found->second].documents.push_back(
          {mirror_.id_of(docids_[row]), docids_[row], {}, mirror_.label_names_of(docids_[row])});
      ranges[found->second].add(ranges_[row]);
    });

    for (std::size_t i = 0; i < shown; ++i) {
      answer_.groups[i].least_similarity = ranges[i].least;
      answer_.groups[i].greatest_similarity = ranges[i].greatest;
    }
  }

  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const DuplicatesRequest& request_;
  const std::vector<Xapian::docid> docids_;       // of each row, ascending
  const std::vector<std::uint32_t> first_equal_;  // of each row, or kNoEqualRow
  DocumentSet distinct_;                          // that are the first of their equals
  RowSet repeated_;                               // of their rows, those that others equal
  RowSet paired_;  // distinct rows with a neighbor down to the threshold, perhaps only themselves
  DisjointSets sets_;                    // of distinct rows
  std::vector<SimilarityRange> ranges_;  // of the pairs of each distinct row
  api::DuplicatesAnswer answer_;
};

void check_duplicate_threshold(double threshold) {
  if (threshold > 0 && threshold <= 1) return;
  throw Error(Errc::kInvalidArgument,
              "min_similarity: expected a number above 0 and not above 1 (got " +
                  number_text(threshold) + ")");
}

constexpr std::size_t kArrivedAtOnce = 1000;  // documents in one batch of queries

/// Compares each document with those that were there before at once, since its nearest one
/// suffices. Among those that arrived with it the nearest may be a later one, so longer and longer
/// lists are read until an earlier one comes.
class NearDuplicateSearch {
 public:
  NearDuplicateSearch(const Snapshot& snapshot, std::span<const Xapian::docid> arrived,
                      double threshold)
      : snapshot_(snapshot),
        threshold_(threshold),
        nearest_(arrived.size()),
        arrived_(snapshot.mirror().list),
        before_(DocumentSet::all(snapshot.mirror().list)) {
    // Backwards, so that of a document that was written twice the last one is met first, which
    // counts.
    for (std::size_t i = arrived.size(); i > 0;) {
      --i;
      const Xapian::docid docid = arrived[i];
      if (!snapshot.mirror().has(docid) || !index_of_.emplace(docid, i).second)
        continue;  // only the last one counts

      arrived_.insert(docid);
      before_.erase(docid);
      docids_.push_back(docid);
    }

    std::ranges::reverse(docids_);
  }

  std::vector<std::optional<NearDuplicate>> run() {
    // Documents that were there before, and those that arrived, are searched apart: of the former
    // the nearest is enough.
    const std::span<const Xapian::docid> all(docids_);
    for (std::size_t begin = 0; begin < all.size(); begin += kArrivedAtOnce) {
      const auto batch = all.subspan(begin, std::min(kArrivedAtOnce, all.size() - begin));
      const auto see_all = [&](std::size_t i, auto neighbors) {
        return see(batch[i], neighbors);
      };
      visit_neighbors(snapshot_, batch, before_, 1, see_all);
      visit_neighbors(snapshot_, batch, arrived_, all.size(), see_all);
    }
    return answer();
  }

 private:
  /// Takes the first of a list that was there before the document. True if nothing after the list
  /// could be it.
  bool see(Xapian::docid docid, std::span<const Neighbor> neighbors) {
    const std::size_t own = index_of_.at(docid);
    Neighbor& nearest = nearest_[own];
    for (const Neighbor& neighbor : neighbors) {
      if (neighbor.number == kNoDocument || neighbor.similarity < threshold_ ||
          !ranks_before(neighbor.similarity, neighbor.number, nearest.similarity, nearest.number))
        return true;

      // Of those that arrived only earlier ones count, so that of two copies the second has a
      // near-duplicate, not both.
      const auto later = index_of_.find(neighbor.number);
      if (later != index_of_.end() && later->second >= own) continue;

      nearest = neighbor;
      return true;
    }
    return false;
  }

  std::vector<std::optional<NearDuplicate>> answer() const {
    const Mirror& mirror = snapshot_.mirror();
    std::vector<std::optional<NearDuplicate>> answer(nearest_.size());
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      const Neighbor& nearest = nearest_[i];
      if (nearest.number == kNoDocument) continue;
      answer[i] = {mirror.id_of(nearest.number), nearest.number, nearest.similarity};
    }
    return answer;
  }

  const Snapshot& snapshot_;
  const double threshold_;
  std::vector<Neighbor> nearest_;  // by index; so far
  DocumentSet arrived_;
  DocumentSet before_;                                       // all others
  std::unordered_map<Xapian::docid, std::size_t> index_of_;  // of what arrived, in its order
  std::vector<Xapian::docid> docids_;                        // that arrived, by index
};

}  // namespace

api::DuplicatesAnswer find_duplicates(const Snapshot& snapshot, const DuplicatesRequest& request,
                                      const DocumentSet* allowed) {
  check_duplicate_threshold(request.min_similarity);
  if (request.limit < 1) throw Error(Errc::kInvalidArgument, "limit: expected at least 1");
  return DuplicateSearch(snapshot, request, allowed).run();
}

std::vector<FoldedRank> fold_ranking(const Snapshot& snapshot,
                                     std::span<const Xapian::docid> ranking, double threshold,
                                     const Pulse& pulse) {
  check_duplicate_threshold(threshold);

  // A ranking may name documents that the mirror has not yet.
  std::unordered_map<Xapian::docid, std::size_t> rank_of;
  std::vector<Xapian::docid> docids;
  for (std::size_t rank = 0; rank < ranking.size(); ++rank)
    if (snapshot.mirror().has(ranking[rank]) && rank_of.emplace(ranking[rank], rank).second)
      docids.push_back(ranking[rank]);

  std::ranges::sort(docids);
  const SimilarDocuments similar(snapshot, docids, threshold, pulse);

  std::vector<FoldedRank> folded(ranking.size());

  // Every document is shown by the best of those that are shown themselves. So the ranking is
  // walked from the top: whoever is better has been decided.
  for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
    pulse();

    folded[rank].shown_by = rank;
    const auto found = std::ranges::lower_bound(docids, ranking[rank]);
    if (found == docids.end() || *found != ranking[rank]) continue;

    for (const Neighbor& near : similar.of(static_cast<std::size_t>(found - docids.begin()))) {
      const std::size_t better = rank_of.at(near.number);
      if (better < folded[rank].shown_by && folded[better].shown_by == better)
        folded[rank] = {better, near.similarity};
    }
  }
  return folded;
}

std::vector<std::optional<NearDuplicate>> find_near_duplicates(
    const Snapshot& snapshot, std::span<const Xapian::docid> arrived, double threshold) {
  check_duplicate_threshold(threshold);
  return NearDuplicateSearch(snapshot, arrived, threshold).run();
}

}  // namespace kindred
