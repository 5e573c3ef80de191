#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/exact.h"
#include "gpu/knn/backend.h"

namespace kindred::cpu {

/// Is offered rows by their places, in ascending order of their numbers unless it is told to expect
/// any order. Keeps those that may be among the k best, with bounds of
/// their similarities, and computes their exact similarities in the end. Memory is O(k), and each
/// row is finished at most once. docs/scoring.md proves that the answer is exact.
class Candidates {
 public:
  /// Starts over for the k best of one query. Sums that add() gets are in units of 2^shift.
  void start(const ExactScores& exact, const QueryFactors& query, std::size_t k, int shift);

  /// Until the query ends, rows may come in any order of their numbers: one that ties with k rows
  /// before it may have the lowest number.
  void expect_any_order() { any_order_ = true; }

  /// The k-th best lower bound so far, or 0 while there are fewer than k. A later row can only
  /// matter if its similarity reaches this, and, in ascending order, is above it.
  float threshold() const { return threshold_; }

  std::size_t wanted() const { return k_; }  ///< k, at most the number of rows

  /// Offers a row by its coarse sum, which lacks at most `lacks`.
  void add(std::uint32_t place, std::uint32_t sum, std::uint32_t lacks);

  /// Offers a row by its exact sum.
  void add_exact(std::uint32_t place, std::int64_t sum);

  /// Offers a row by its exact similarity.
  void add_score(std::uint32_t place, float score);

  /// Raises the threshold to what the rows offered so far allow.
  void tighten();

  /// Writes up to k neighbors in order and returns how many there are. Ends the query.
  std::size_t finish(std::span<Neighbor> neighbors);

 private:
  struct BoundedCandidate {
    float lower, upper;  ///< bounds of the similarity; equal when it is known
    std::uint32_t number;
  };

  /// Whether a similarity of at most `upper` may be among the k best.
  bool may_count(float upper) const {
    return any_order_ && threshold_ > 0 ? upper >= threshold_ : upper > threshold_;
  }
  /// Offers a row whose exact sum is in [least, most].
  void add_bounded(std::uint32_t place, std::int64_t least, std::int64_t most);
  void push(BoundedCandidate candidate);
  void drop_hopeless();
  void finish_all();
  void keep_best();

  const ExactScores* exact_ = nullptr;
  const QueryFactors* query_ = nullptr;
  std::size_t k_ = 0;
  std::size_t capacity_ = 0;
  int shift_ = 0;
  std::int64_t slack_ = 0;  ///< the coarse sum exceeds the exact one by at most this
  float threshold_ = 0;
  bool any_order_ = false;
  std::vector<BoundedCandidate> candidates_;
};

}  // namespace kindred::cpu
