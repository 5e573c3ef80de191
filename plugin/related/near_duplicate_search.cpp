#include "plugin/related/near_duplicate_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "plugin/related/duplicate_search.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kArrivedAtOnce = 1000;         // documents in one batch of queries
constexpr std::size_t kFirstArrived = 8;             // neighbors asked for at first; doubles
constexpr std::size_t kMostArrivedHeld = 1U << 20U;  // at a time, unless a single list is longer

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
        arrived_(snapshot.mirror().rows()),
        before_(RowSet::all(snapshot.mirror().rows())) {
    for (std::size_t place = 0; place < arrived.size(); ++place) {
      const auto row = snapshot.row_of(arrived[place]);
      if (row) place_of_[*row] = place;
    }
    for (const auto& [row, place] : place_of_) {
      arrived_.set(row);
      documents_.push_back({row, place});
    }
    before_ -= arrived_;
    std::sort(documents_.begin(), documents_.end(),
              [](const Arrived& a, const Arrived& b) { return a.place < b.place; });
  }

  std::vector<std::optional<NearDuplicate>> run() {
    const std::span<const Arrived> all(documents_);
    for (std::size_t begin = 0; begin < all.size(); begin += kArrivedAtOnce) {
      const auto batch = all.subspan(begin, std::min(kArrivedAtOnce, all.size() - begin));
      compare(batch, 1, before_);
      std::vector<Arrived> unfinished(batch.begin(), batch.end());
      for (std::size_t k = kFirstArrived; !unfinished.empty(); k *= 2)
        unfinished = compare(unfinished, std::min(k, all.size()), arrived_);
    }
    return answer();
  }

 private:
  struct Arrived {
    std::uint32_t row = 0;
    std::size_t place = 0;  ///< in the order of arrival
  };

  /// Reads the k nearest in `among` of each. Returns those whose lists may go on.
  std::vector<Arrived> compare(std::span<const Arrived> documents, std::size_t k,
                               const RowSet& among) {
    std::vector<Arrived> unfinished;
    const std::size_t at_once = std::max<std::size_t>(1, kMostArrivedHeld / k);
    for (std::size_t begin = 0; begin < documents.size(); begin += at_once) {
      const auto part = documents.subspan(begin, std::min(at_once, documents.size() - begin));
      Queries queries;
      for (const Arrived& document : part)
        snapshot_.weigh_row(document.row, snapshot_.weighting(), queries);
      const std::vector<Neighbor> found = snapshot_.backend().nearest(queries, k, &among);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const bool is_done = see(part[i], std::span(found).subspan(i * k, k));
        if (!is_done && k < documents_.size()) unfinished.push_back(part[i]);
      }
    }
    return unfinished;
  }

  /// Takes the first of a list that was there before the document. True if nothing after the list
  /// could be it.
  bool see(const Arrived& document, std::span<const Neighbor> neighbors) {
    Neighbor& nearest = nearest_[document.place];
    for (const Neighbor& neighbor : neighbors) {
      if (neighbor.row == Neighbor::kNoRow || neighbor.similarity < threshold_ ||
          !is_nearer(neighbor, nearest))
        return true;
      const auto place = place_of_.find(neighbor.row);
      if (place != place_of_.end() && place->second >= document.place) continue;
      nearest = neighbor;
      return true;
    }
    return false;
  }

  static bool is_nearer(const Neighbor& a, const Neighbor& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.row < b.row;
  }

  std::vector<std::optional<NearDuplicate>> answer() const {
    const Mirror& mirror = snapshot_.mirror();
    std::vector<std::optional<NearDuplicate>> answer(nearest_.size());
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      const Neighbor& nearest = nearest_[i];
      if (nearest.row == Neighbor::kNoRow) continue;
      answer[i] = {mirror.docids[nearest.row], std::string(mirror.ids[nearest.row]),
                   nearest.similarity};
    }
    return answer;
  }

  const Snapshot& snapshot_;
  const double threshold_;
  std::vector<Neighbor> nearest_;  // by place; so far
  RowSet arrived_;
  RowSet before_;  // all other rows
  std::unordered_map<std::uint32_t, std::size_t> place_of_;
  std::vector<Arrived> documents_;  // by place
};

}  // namespace

std::vector<std::optional<NearDuplicate>> find_near_duplicates(
    const Snapshot& snapshot, std::span<const Xapian::docid> arrived, double threshold) {
  check_duplicate_threshold(threshold);
  return NearDuplicateSearch(snapshot, arrived, threshold).run();
}

}  // namespace kindred
