#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/knn/exact.h"
#include "gpu/knn/backend.h"

namespace kindred::cpu {

/// Is offered rows in ascending order. Keeps those that may be among the k best, with bounds of
/// their similarities, and computes their exact similarities in the end. Memory is O(k), and each
/// row is finished at most once. docs/scoring.md proves that the answer is exact.
class Candidates {
 public:
  /// Starts over for the k best of one query. Sums that add() gets are in units of 2^shift.
  void start(const ExactScores& exact, const QueryFactors& query, std::size_t k, int shift);

  /// The k-th best lower bound so far, or 0 while there are fewer than k. A later row can only
  /// matter if its similarity is above this.
  float threshold() const { return threshold_; }

  /// Offers a row by its coarse sum. Rows come in ascending order.
  void add(std::uint32_t row, std::uint32_t sum);

  /// Offers a row by its exact similarity.
  void add_exact(std::uint32_t row, float score);

  /// Raises the threshold to what the rows offered so far allow.
  void tighten();

  /// Writes up to k neighbors in order and returns how many there are. Ends the query.
  std::size_t finish(std::span<Neighbor> neighbors);

 private:
  struct BoundedCandidate {
    float lower, upper;  ///< bounds of the similarity; equal when it is known
    std::uint32_t row;
  };

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
  std::vector<BoundedCandidate> candidates_;
};

}  // namespace kindred::cpu
