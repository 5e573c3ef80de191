#include "plugin/related/folding.h"

#include <algorithm>
#include <unordered_map>

#include "gpu/document_set.h"
#include "plugin/related/disjoint_sets.h"
#include "plugin/related/similar_documents.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kReadPerResult = 16;
constexpr std::size_t kReadAlways = 1000;

class Folding {
 public:
  /// `most`: neighbors that are taken in all.
  Folding(const Snapshot& snapshot, double threshold, std::size_t k, std::size_t most,
          const Pulse& pulse)
      : snapshot_(snapshot),
        pulse_(pulse),
        threshold_(threshold),
        k_(k),
        among_(snapshot.mirror().list),
        sets_(most) {}

  /// Takes a ranking that begins with what was taken before. False if the next neighbor would be
  /// one result too many.
  bool add(const std::vector<Neighbor>& ranking) {
    const std::size_t known = ranking_.size();
    ranking_ = ranking;
    find_links(known);

    // A neighbor that is like none of the better ones is a result of its own. One that is like
    // several of them makes these one result.
    for (auto i = static_cast<std::uint32_t>(known); i < ranking_.size(); ++i) {
      if (links_[i].empty() && results_ == k_) {
        ranking_.resize(i);
        return false;
      }

      ++results_;
      for (const std::uint32_t better : links_[i])
        if (sets_.unite(i, better)) --results_;
    }

    return true;
  }

  std::vector<FoldedNeighbors> results() {
    // The best of each set is its first, so the others find its index.
    std::vector<FoldedNeighbors> results;
    std::vector<std::size_t> index(ranking_.size());
    for (std::uint32_t i = 0; i < ranking_.size(); ++i) {
      const std::uint32_t first = sets_.root(i);
      if (first == i) {
        index[i] = results.size();
        results.push_back({ranking_[i], {}});
      } else {
        results[index[first]].folded.push_back(ranking_[i]);
      }
    }

    return results;
  }

 private:
  /// Finds for each neighbor from `known` on the better ones that it is a near-duplicate of.
  void find_links(std::size_t known) {
    links_.resize(ranking_.size());
    std::vector<Xapian::docid> docids;
    for (auto i = static_cast<std::uint32_t>(known); i < ranking_.size(); ++i) {
      docids.push_back(ranking_[i].number);
      among_.insert(ranking_[i].number);
      rank_.emplace(ranking_[i].number, i);
    }

    // Only lists of what came since the last call are read: what is better than them is known by
    // now.
    visit_neighbors(
        snapshot_, docids, among_, ranking_.size(),
        [&](std::size_t i, auto near) {
          return see(known + i, near);
        },
        pulse_);
  }

  /// True if the list goes on below the threshold, or has all there are.
  bool see(std::size_t i, std::span<const Neighbor> near) {
    links_[i].clear();
    for (const Neighbor& neighbor : near) {
      if (neighbor.number == kNoDocument || neighbor.similarity < threshold_) return true;
      const auto other = rank_.find(neighbor.number);
      if (other == rank_.end()) refuse_neighbor(neighbor.number);
      if (other->second < i) links_[i].push_back(other->second);
    }
    return false;
  }

  const Snapshot& snapshot_;
  const Pulse& pulse_;
  const double threshold_;
  const std::size_t k_;
  std::vector<Neighbor> ranking_;
  DocumentSet among_;  // those of the ranking
  std::unordered_map<Xapian::docid, std::uint32_t> rank_;
  std::vector<std::vector<std::uint32_t>> links_;  // of each neighbor to better ones
  DisjointSets sets_;                              // of ranks; the root is the best one
  std::size_t results_ = 0;                        // sets
};

}  // namespace

std::vector<FoldedNeighbors> fold_near_duplicates(const Snapshot& snapshot,
                                                  const NeighborRanking& ranking, double threshold,
                                                  std::size_t k, const Pulse& pulse) {
  const std::size_t most =
      std::min<std::size_t>(kReadPerResult * k + kReadAlways, snapshot.mirror().documents());
  Folding folding(snapshot, threshold, k, most, pulse);

  // Twice as many each time, because it is not known how many will be folded.
  for (std::size_t count = k + 1;; count *= 2) {
    count = std::min(count, most);
    const std::vector<Neighbor> found = ranking(count);
    pulse();

    const bool goes_on = folding.add(found);
    if (!goes_on || found.size() < count || count == most) return folding.results();
  }
}

}  // namespace kindred
