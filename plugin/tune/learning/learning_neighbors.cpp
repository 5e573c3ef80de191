#include "plugin/tune/learning/learning_neighbors.h"

#include <algorithm>

#include "gpu/scoring.h"
#include "gpu/workers.h"
#include "plugin/tune/learning/two_sums.h"

namespace kindred {
namespace {

constexpr std::uint32_t kLengthsAtOnce = 1024;
constexpr std::size_t kRankedAtOnce = 256;

std::vector<double> lengths_of(const CsrView& counts, const TermWeighting& base,
                               std::size_t threads) {
  std::vector<double> lengths(counts.rows);
  for_each_chunk(
      counts.rows, kLengthsAtOnce, threads, [&](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t row = first; row < last; ++row) {
          const std::uint64_t begin = counts.row_begin[row], end = counts.row_begin[row + 1];
          lengths[row] = euclidean_length(end - begin, [&](std::size_t i) {
            return base.tf[counts.count[begin + i]] * base.idf[counts.column[begin + i]];
          });
        }
      });
  return lengths;
}

/// Compares documents with their candidates. For one thread.
class CandidateRanking {
 public:
  CandidateRanking(const CsrView& counts, const TermWeighting& base,
                   const std::vector<double>& lengths, const RowSet& voters)
      : counts_(counts), base_(base), lengths_(lengths), voters_(voters), query_(counts.columns) {}

  void rank(std::uint32_t row, std::span<const Neighbor> candidates, std::span<Neighbor> best) {
    each_weight(row, [&](std::uint32_t term, double weight) { query_[term] = weight; });
    found_.clear();
    for (const Neighbor& candidate : candidates) {
      if (candidate.row == Neighbor::kNoRow) break;
      if (voters_.has(candidate.row) && lengths_[candidate.row] > 0)
        found_.push_back({candidate.row, 0});
    }
    compare();
    each_weight(row, [&](std::uint32_t term, double) { query_[term] = 0; });
    const std::size_t size = std::min(best.size(), found_.size());
    std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(size),
                      found_.end(), [](const Neighbor& a, const Neighbor& b) {
                        return a.similarity > b.similarity ||
                               (a.similarity == b.similarity && a.row < b.row);
                      });
    std::fill(std::copy_n(found_.begin(), size, best.begin()), best.end(), Neighbor{});
  }

 private:
  EntryRange entries_of(std::uint32_t row) const {
    return {counts_.row_begin[row], counts_.row_begin[row + 1]};
  }

  double weight_of(std::uint64_t entry) const {
    return base_.tf[counts_.count[entry]] * base_.idf[counts_.column[entry]];
  }

  template <typename Visit>
  void each_weight(std::uint32_t row, Visit&& visit) const {
    const EntryRange entries = entries_of(row);
    for (std::uint64_t i = entries.begin; i < entries.end; ++i)
      visit(counts_.column[i], weight_of(i));
  }

  /// Fills in the similarities, not divided by the length of the query, which all have in common.
  void compare() {
    const auto product = [&](std::uint64_t i) { return query_[counts_.column[i]] * weight_of(i); };
    const auto similarity = [&](double dot, std::uint32_t row) {
      return static_cast<float>(dot / lengths_[row]);
    };
    for (std::size_t i = 0; i < found_.size(); i += 2) {
      const bool is_last = i + 1 == found_.size();
      const TwoSums dots =
          two_sums(entries_of(found_[i].row),
                   is_last ? EntryRange() : entries_of(found_[i + 1].row), product);
      found_[i].similarity = similarity(dots.first, found_[i].row);
      if (!is_last) found_[i + 1].similarity = similarity(dots.second, found_[i + 1].row);
    }
  }

  const CsrView& counts_;
  const TermWeighting& base_;
  const std::vector<double>& lengths_;
  const RowSet& voters_;
  std::vector<double> query_;
  std::vector<Neighbor> found_;
};

}  // namespace

LearningPairs learning_pairs(const CsrView& counts, const TermWeighting& base,
                             const LearningNeighbors& known, const RowSet& voters, std::size_t k,
                             std::size_t threads) {
  LearningPairs pairs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < known.documents.size(); ++i) {
    if (!voters.has(known.documents[i])) continue;
    places.push_back(i);
    pairs.documents.push_back(known.documents[i]);
  }
  pairs.neighbors.resize(places.size() * k);
  const std::vector<double> lengths = lengths_of(counts, base, threads);
  for_each_chunk(places.size(), kRankedAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    CandidateRanking ranking(counts, base, lengths, voters);
    for (std::size_t i = begin; i < end; ++i)
      ranking.rank(pairs.documents[i],
                   std::span(known.candidates).subspan(places[i] * known.k, known.k),
                   std::span(pairs.neighbors).subspan(i * k, k));
  });
  return pairs;
}

}  // namespace kindred
