#include "plugin/related/folding.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kReadPerResult = 16;
constexpr std::size_t kReadAlways = 1000;
constexpr std::size_t kFirstLinks = 8;             // neighbors asked for at first; doubles
constexpr std::size_t kMostLinksHeld = 1U << 20U;  // at a time, unless a single list is longer

class Folding {
 public:
  Folding(const Snapshot& snapshot, double threshold, std::size_t k)
      : snapshot_(snapshot), threshold_(threshold), k_(k), among_(snapshot.mirror().rows()) {}

  /// Takes a ranking that begins with what was taken before. False if the next neighbor would be
  /// one result too many.
  bool take(const std::vector<Neighbor>& ranking) {
    const std::size_t known = ranking_.size();
    ranking_ = ranking;
    find_links(known);
    for (std::size_t i = known; i < ranking_.size(); ++i) {
      if (links_[i].empty() && results_ == k_) {
        ranking_.resize(i);
        return false;
      }
      add(i);
    }
    return true;
  }

  std::vector<FoldedNeighbors> results() {
    std::vector<FoldedNeighbors> results;
    std::vector<std::size_t> place(ranking_.size());
    for (std::size_t i = 0; i < ranking_.size(); ++i) {
      const std::size_t first = root(i);
      if (first == i) {
        place[i] = results.size();
        results.push_back({ranking_[i], {}});
      } else {
        results[place[first]].folded.push_back(ranking_[i]);
      }
    }
    return results;
  }

 private:
  void add(std::size_t i) {
    parent_.push_back(i);
    ++results_;
    for (const std::size_t better : links_[i]) {
      const std::size_t a = root(i), b = root(better);
      if (a == b) continue;
      parent_[std::max(a, b)] = std::min(a, b);
      --results_;
    }
  }

  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// Finds for each neighbor from `known` on the better ones that it is a near-duplicate of.
  void find_links(std::size_t known) {
    links_.resize(ranking_.size());
    std::vector<std::size_t> unfinished;
    for (std::size_t i = known; i < ranking_.size(); ++i) {
      among_.set(ranking_[i].row);
      rank_.emplace(ranking_[i].row, i);
      unfinished.push_back(i);
    }
    for (std::size_t count = kFirstLinks; !unfinished.empty(); count *= 2)
      unfinished = ask(unfinished, std::min(count, ranking_.size()));
  }

  /// Asks for the `count` nearest of each. Returns those that may have more down to the threshold.
  std::vector<std::size_t> ask(std::span<const std::size_t> ranks, std::size_t count) {
    std::vector<std::size_t> unfinished;
    const std::size_t at_once = std::max<std::size_t>(1, kMostLinksHeld / count);
    for (std::size_t begin = 0; begin < ranks.size(); begin += at_once) {
      const auto part = ranks.subspan(begin, std::min(at_once, ranks.size() - begin));
      Queries queries;
      for (const std::size_t i : part)
        snapshot_.weigh_row(ranking_[i].row, snapshot_.weighting(), queries);
      const std::vector<Neighbor> found = snapshot_.backend().nearest(queries, count, &among_);
      for (std::size_t q = 0; q < part.size(); ++q) {
        const bool complete = see(part[q], std::span(found).subspan(q * count, count));
        if (!complete && count < ranking_.size()) unfinished.push_back(part[q]);
      }
    }
    return unfinished;
  }

  /// True if the list goes on below the threshold, or has all there are.
  bool see(std::size_t i, std::span<const Neighbor> near) {
    links_[i].clear();
    for (const Neighbor& neighbor : near) {
      if (neighbor.row == Neighbor::kNoRow || neighbor.similarity < threshold_) return true;
      const std::size_t other = rank_.at(neighbor.row);
      if (other < i) links_[i].push_back(other);
    }
    return false;
  }

  const Snapshot& snapshot_;
  const double threshold_;
  const std::size_t k_;
  std::vector<Neighbor> ranking_;
  RowSet among_;  // its rows
  std::unordered_map<std::uint32_t, std::size_t> rank_;
  std::vector<std::vector<std::size_t>> links_;  // of each neighbor to better ones
  std::vector<std::size_t> parent_;              // of each in its set; the root is the best one
  std::size_t results_ = 0;                      // sets
};

}  // namespace

std::vector<FoldedNeighbors> fold_near_duplicates(const Snapshot& snapshot, const Ranking& ranking,
                                                  double threshold, std::size_t k) {
  const std::size_t most = kReadPerResult * k + kReadAlways;
  Folding folding(snapshot, threshold, k);
  for (std::size_t count = k + 1;; count *= 2) {
    count = std::min(count, most);
    const std::vector<Neighbor> found = ranking(count);
    const bool goes_on = folding.take(found);
    if (!goes_on || found.size() < count || count == most) return folding.results();
  }
}

}  // namespace kindred
