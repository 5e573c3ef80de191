#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/queries.h"
#include "plugin/votes/voters.h"

namespace kindred {

/// A sparse vector, borrowed: terms strictly ascending.
struct SparseVector {
  std::span<const std::uint32_t> terms;
  std::span<const double> weights;
};

/// A document that is subtracted from the sums: its unit vector and its labels, ascending.
struct LeftOut {
  SparseVector vector;
  std::span<const std::uint32_t> labels;
};

/// For each label, the sum S(l) of its documents' unit vectors. Sums are sparse by term, so the
/// cost of a query is its number of terms times the number of labels that each term occurs with.
/// Immutable.
class ClassSums {
 public:
  /// The sums of the voters' vectors under a weighting. The result does not depend on `threads`.
  ClassSums(const Voters& voters, const TermWeighting& weighting, std::uint32_t label_count,
            std::size_t threads);

  std::uint32_t labels() const { return static_cast<std::uint32_t>(documents_.size()); }
  std::size_t bytes() const;

  /// Compares a unit vector q with each label. Writes one value for each label:
  /// - `cosines`: the cosine of q and S(l) (Rocchio's class vector), 0 for a label without
  ///   documents;
  /// - `profiles`: the complement log-odds (Rennie et al. 2003, here of normalized vectors)
  ///
  ///       sum_t q_t ln((S(l)_t + a) / (S_t - S(l)_t + a))
  ///         - (sum_t q_t) ln((N(l) + a T) / (N - N(l) + a T)),    a = 0.03
  ///
  ///   S is the sum over all documents. N(l) and N are the sums of S(l) and S over their T terms.
  ///
  /// If `left_out` is not null, the values are those of sums without that document.
  void compare(const SparseVector& query, const LeftOut* left_out, std::span<double> cosines,
               std::span<double> profiles) const;

 private:
  struct LabelSum {
    std::uint32_t label;
    double sum;
    double gain;  // ln((S(l)_t + a) / (S_t - S(l)_t + a)) - absent_[t]
  };

  struct Term {
    std::vector<LabelSum> entries;  // labels ascending
    double total = 0;
  };
  class TermSums;

  void append(const Term& term);
  void compare_whole(const SparseVector& query, std::span<double> cosines,
                     std::span<double> profiles) const;
  void compare_without(const SparseVector& query, const LeftOut& left_out,
                       std::span<double> cosines, std::span<double> profiles) const;
  void finish(double mass, const LeftOut* left_out, std::span<const double> with_left_out,
              double shared, std::span<double> cosines, std::span<double> profiles) const;

  std::vector<std::uint64_t> begin_{0};   // of a term's entries in entries_; terms + 1
  std::vector<LabelSum> entries_;         // labels ascending in a term
  std::vector<double> total_;             // S_t
  std::vector<double> absent_;            // ln(a / (S_t + a)), for labels that lack the term
  std::vector<std::uint64_t> documents_;  // of each label
  std::vector<double> square_;            // |S(l)|^2
  std::vector<double> mass_;              // N(l)
  double mass_of_all_ = 0;
  double terms_ = 0;  // T
};

}  // namespace kindred
