#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/queries.h"
#include "gpu/segment_list.h"
#include "plugin/votes/classes/term_sums.h"
#include "plugin/votes/label_weights.h"

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
/// All sums are of integers (docs/scoring.md, "Sums of classes"), so they depend neither on the
/// order of documents and terms, nor on what came and went before. Copies and sums that followed
/// from others share what did not change. Never changes for its users, of whom there may be any
/// number of threads; the logarithms of terms that followed are computed at their first use.
class ClassSums {
 public:
  /// The sums of the voters' vectors under a weighting. The result does not depend on `threads`.
  ClassSums(const Voters& voters, const TermWeighting& weighting, std::uint32_t label_count,
            std::size_t threads);

  /// The sums of another state of the mirror, or of other voters of it: those of `before`, over the
  /// voters `voted`, less the voters that do not vote any more, and with those that come. Equals
  /// sums from nothing; the cost follows the terms of these documents, and the segments that only
  /// one of both mirrors has. `weighting`, `label_count`: those of `before`, perhaps with more
  /// terms and labels.
  ClassSums(const ClassSums& before, const DocumentSet& voted, const DocumentSet& voters,
            const TermWeighting& weighting, std::uint32_t label_count, std::size_t threads);

  std::uint32_t labels() const { return static_cast<std::uint32_t>(documents_.size()); }
  /// What several sums share counts in equal parts for each.
  std::size_t bytes() const;

  /// Compares a unit vector q with each label. Writes one value for each label:
  /// - `cosines`: the cosine of q and S(l) (Rocchio's class vector), 0 for a label without
  ///   documents;
  /// - `profiles`: the complement log-odds (Rennie et al. 2003, here of normalized vectors)
  ///
  ///       sum_t q_t (g_t(l) + min(b_t - c(l), 0)),    a = 0.03
  ///       g_t(l) = ln((S(l)_t + a) / (S_t - S(l)_t + a)) - b_t
  ///       b_t = ln(a / (S_t + a)),    c(l) = ln((N(l) + a T) / (N - N(l) + a T))
  ///
  ///   S is the sum over all documents. N(l) and N are the sums of S(l) and S over their T terms.
  ///   Theirs is without the min, which keeps terms that a label lacks from speaking for it: of a
  ///   text of many rare words all small labels would be sure.
  ///
  /// If `left_out` is not null, the values are those of sums without that document.
  void compare(const SparseVector& query, const LeftOut* left_out, std::span<double> cosines,
               std::span<double> profiles) const;

 private:
  __extension__ using Wide = __int128;
  class Comparison;

  /// The sums of all terms, as they were made from nothing.
  struct Matrix {
    std::vector<std::uint64_t> begin{0};  // of a term's entries; terms + 1
    std::vector<LabelSum> entries;
    std::vector<std::int64_t> total;
    std::vector<std::int64_t> absent;

    std::uint32_t terms() const { return static_cast<std::uint32_t>(total.size()); }
    TermSums term(std::uint32_t number) const;
  };

  /// Terms that changed together. As long as half of them have not changed again, it is kept.
  struct Delta {
    std::shared_ptr<const ChangedTerms> terms;  // null: the number is free
    std::uint32_t current = 0;                  // how many of them have not changed since
  };

  /// Where the sums of a term are if they differ from those of the matrix.
  struct Place {
    static constexpr std::uint32_t kMatrix = UINT32_MAX;

    std::uint32_t delta = kMatrix;
    std::uint32_t number = 0;  // in the delta

    friend bool operator==(const Place&, const Place&) = default;
  };

  class Changes;

  void append(const OwnTermSums& term, Matrix& matrix);
  void count_label(std::uint32_t label, std::int64_t before, std::int64_t after);
  Place place_of(std::uint32_t term) const { return term < place_.size() ? place_[term] : Place{}; }
  void leave_deltas(Changes& changes);
  void place(std::shared_ptr<const ChangedTerms> terms);
  ChangedTerms::Known known(std::uint32_t number) const;
  TermSums term(std::uint32_t number) const;

  std::shared_ptr<const Matrix> matrix_;
  std::vector<Delta> deltas_;
  std::vector<Place> place_;              // of each term; may be fewer
  std::vector<std::uint64_t> documents_;  // of each label
  std::vector<Wide> square_;              // |S(l)|^2
  std::vector<Wide> mass_;                // N(l)
  Wide mass_of_all_ = 0;
  std::int64_t terms_ = 0;  // T
};

}  // namespace kindred
