#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/som/codebook.h"
#include "gpu/som/lattice.h"
#include "gpu/som/match.h"
#include "gpu/som/rows.h"

namespace kindred {

/// The codebook that a map keeps: a trained codebook without its negligible weights, column by
/// column. Immutable, so any number of threads may use it.
class SparseCodebook {
 public:
  /// Weights below this share of the length of their unit are left out.
  static constexpr double kNegligible = 1e-3;

  explicit SparseCodebook(const SomCodebook& codebook);
  /// Makes it of stored parts. @throws Error kCorrupt if they do not fit together.
  SparseCodebook(std::uint32_t units, std::vector<std::uint64_t> column_begin,
                 std::vector<std::uint32_t> unit, std::vector<float> weight);

  std::uint32_t units() const { return units_; }
  std::uint32_t columns() const { return static_cast<std::uint32_t>(column_begin_.size() - 1); }

  /// Calls visit(unit, weight) for each unit that has weight in a column, ascending.
  template <typename Visit>
  void each_weight(std::uint32_t column, Visit&& visit) const {
    for (std::uint64_t i = column_begin_[column]; i < column_begin_[column + std::size_t{1}]; ++i)
      visit(unit_[i], weight_[i]);
  }

  /// The two nearest units of a vector, as SomTwin::match() defines them.
  SomMatch match(std::span<const std::uint32_t> columns, std::span<const float> weights) const;

  /// match() of every row, on up to `threads` threads; 0 is one per core.
  std::vector<SomMatch> match(const SomRows& rows, std::size_t threads) const;

  /// 1 - cosine between a vector of length 1 and the unit it was matched to, in [0, 1] for weights
  /// >= 0. `squared_inside`: the part of its squared length that lies in the columns of the map.
  double angular_distance(const SomMatch& match, double squared_inside) const;

  const std::vector<std::uint64_t>& column_begin() const { return column_begin_; }
  const std::vector<std::uint32_t>& unit() const { return unit_; }
  const std::vector<float>& weight() const { return weight_; }

 private:
  void measure_norms();

  std::uint32_t units_ = 0;
  std::vector<std::uint64_t> column_begin_{0};
  std::vector<std::uint32_t> unit_;
  std::vector<float> weight_;
  std::vector<double> squared_norm_;  // [units]
};

/// Joins units to groups that are connected on the lattice. Each step joins the two neighboring
/// groups whose union raises the sum of squares least (Ward 1963),
///
///     w_a w_b / (w_a + w_b) |a - b|^2
///
/// with w the documents of a group (an empty unit weighs as half a document). Deterministic.
/// @param count how many groups; 0: the number at which the cost of one more union is largest, as a
/// ratio to the cost of the union before. Numbers from 3/4 to 3/2 of the square root of the number
/// of units are looked at, so a topic of a map with n units has about sqrt(n) of them. If one of
/// these groups holds more than a tenth of 1,000 documents or more, all are made anew by unions
/// that cost no more, and have at most a tenth or documents whose mean cosine is at least a half.
/// @return the group of each unit, from 0, the group with most documents first.
std::vector<std::uint32_t> group_units(const SomLattice& lattice, const SparseCodebook& codebook,
                                       const std::vector<std::uint32_t>& hits, std::size_t count);

}  // namespace kindred
