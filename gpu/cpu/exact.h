#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/row_lengths.h"
#include "gpu/knn/backend.h"
#include "gpu/queries.h"
#include "gpu/scoring.h"
#include "gpu/segment_list.h"

namespace kindred::cpu {

/// A query's terms of positive factor, and a hash from term to factor (gpu/scoring.h) that fits
/// the first-level cache. Reused from query to query.
class QueryFactors {
 public:
  struct TermFactor {
    std::uint32_t term;
    double factor;  ///< never 0
  };

  /// `scale` is 2^s of the mirror.
  void assign(std::span<const std::uint32_t> terms, std::span<const double> unit_weights,
              const TermWeighting& weighting, double scale);

  std::span<const TermFactor> entries() const { return entries_; }

  /// The factor of `term`, 0 if the query lacks it.
  double find(std::uint32_t term) const {
    const std::uint32_t bit = hash(term) >> bit_shift_;
    if ((maybe_[bit / 64] >> bit % 64 & 1) == 0) return 0;  // so for nearly all terms of a document
    std::size_t i = slot(term);
    while (table_[i].term != term && table_[i].factor != 0) i = (i + 1) & mask_;
    return table_[i].factor;
  }

 private:
  static std::uint32_t hash(std::uint32_t term) { return term * 0x9E3779B1u; }
  std::size_t slot(std::uint32_t term) const { return hash(term) >> slot_shift_ & mask_; }
  void build_table();

  std::vector<TermFactor> entries_;
  std::vector<TermFactor> table_{{0, 0}};  ///< open addressing, at most half full; factor 0 = free
  std::vector<std::uint64_t> maybe_{0};    ///< a bit for each hash prefix that a term has
  std::size_t mask_ = 0;
  int slot_shift_ = 0;
  int bit_shift_ = 31;
};

/// The definition of a similarity, one document at a time: the lengths of the mirror's documents,
/// and the exact similarity of a document to a query. Documents are named by their places. Borrows
/// mirror and weighting. Dead places have a reciprocal of 0, and similarity 0 to everything.
class ExactScores {
 public:
  /// `before`: those of another state of the mirror, or null.
  /// @throws Error kInvalidArgument if the sizes of mirror and weighting differ, or a weight or
  /// length is negative or not finite.
  ExactScores(SegmentListPointer mirror, const TermWeighting& weighting,
              const MeasureOptions& options, const ExactScores* before = nullptr);

  double scale() const { return scale_; }  ///< 2^s
  double longest() const { return longest_; }
  const TermWeighting& weighting() const { return weighting_; }
  const SegmentList& mirror() const { return *mirror_; }
  const SegmentListPointer& shared_mirror() const { return mirror_; }

  /// 1 / the length that divides the document, in units of the mirror's scale.
  double reciprocal(std::uint32_t place) const {
    return reciprocal_length(dividing_length(lengths_.data()[place], common_length_), unit_);
  }

  /// Prefetches a row that score() will read.
  void prefetch(std::uint32_t place) const;

  /// The similarity of the row at `place` to `query`, as docs/scoring.md defines it.
  float score(std::uint32_t place, const QueryFactors& query) const;

  std::size_t bytes() const { return lengths_.size() * sizeof(double); }  ///< besides the mirror's

 private:
  void check_counts(const ExactScores* before, std::size_t threads) const;
  void set_scale();

  SegmentListPointer mirror_;
  const TermWeighting& weighting_;
  std::size_t tf_size_;           ///< no live row has a larger count, nor one of this
  double scale_ = 1;              ///< 2^s
  double unit_ = 1;               ///< 2^-s
  double longest_ = 0;            ///< of the live rows
  double common_length_ = 0;      ///< that divides all rows; 0: each is divided by its own
  AlignedArray<double> lengths_;  ///< by place
};

/// Is offered rows by their places, in ascending order of their numbers unless it is told to expect
/// any order. Keeps those that may be among the k best, with bounds of their similarities, and
/// computes their exact similarities in the end. Memory is O(k), and each row is finished at most
/// once. docs/scoring.md proves that the answer is exact.
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
    float lower;  ///< bound of the similarity
    float upper;  ///< equal to `lower` when the similarity is known
    std::uint32_t place;
    std::uint32_t number;
  };

  /// Whether a similarity of at most `upper` may be among the k best.
  bool may_count(float upper) const {
    if (any_order_ && threshold_ > 0) return upper >= threshold_;
    return upper > threshold_;
  }
  /// Offers a row whose exact sum is in [least, most].
  void add_bounded(std::uint32_t place, std::int64_t least, std::int64_t most);
  void push(float lower, float upper, std::uint32_t place);
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
