#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/left_out.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

/// Compares one vector after another with labels. For one thread.
class LabelComparison {
 public:
  /// Borrows the sums.
  explicit LabelComparison(const ClassSums& sums) : sums_(sums) {}

  /// Compares a unit vector q with the sums S(l) of some labels, ascending. The members below say
  /// the results until the next call. If `left_out` is not null, they are those of sums without
  /// that document.
  void compare(const SparseVector& query, std::span<const std::uint32_t> labels,
               const LeftOut* left_out);

  /// Of each of these labels, the cosine of q and S(l) (Rocchio's class vector); 0 for a label none
  /// of whose documents has a term of the query.
  std::span<const double> cosines() const { return cosines_; }

  /// Of each of these labels, minus infinity if it has no documents, else the complement log-odds
  /// (Rennie et al. 2003, here of normalized vectors)
  ///
  ///     sum_t q_t (g_t(l) + min(b_t - c(l), 0)),    a = 0.03
  ///     g_t(l) = ln((S(l)_t + a) / (S_t - S(l)_t + a)) - b_t
  ///     b_t = ln(a / (S_t + a)),    c(l) = ln((N(l) + a T) / (N - N(l) + a T))
  ///
  /// S is the sum over all documents. N(l) and N are the sums of S(l) and S over their T terms.
  /// Theirs is without the min, which keeps terms that a label lacks from speaking for it: of a
  /// text of many rare words all small labels would be sure.
  std::span<const double> profiles() const { return profiles_; }

 private:
  __extension__ using Wide = __int128;

  /// A label that is compared.
  struct Compared {
    std::uint32_t label = 0;
    bool is_own = false;             ///< the document that is left out has it
    bool lacks_counterpart = false;  ///< see Counterparts
    Wide dot = 0;                    ///< of the query and S(l)
    Wide odds = 0;                   ///< of the terms that it has
    Wide with_left_out = 0;          ///< S(l) times the vector of the document that is left out
  };

  /// A term as the labels see it that lack it.
  struct Absent {
    std::int64_t odds;
    Wide weight;   ///< q_t; in the end of all up to here
    Wide product;  ///< of weight and odds; in the end of all up to here
  };

  void begin(std::span<const std::uint32_t> labels, const LeftOut* left_out);
  Wide product_with(const SparseVector& vector, std::uint32_t label) const;
  void add(const SparseVector& query);
  void add_whole(const TermSums& term, std::int64_t q);
  void add_without(const TermSums& term, std::int64_t q, std::int64_t x,
                   std::span<const LabelTotal> apart);
  template <typename Visit>
  void for_each_label(const TermSums& term, Visit&& visit);
  void finish();

  double length_of(const Compared& own) const;
  std::int64_t prior_of(const Compared& own) const;
  Wide absent_part(std::int64_t prior) const;

  const ClassSums& sums_;
  const LeftOut* left_out_ = nullptr;
  std::vector<Compared> compared_;
  std::vector<Absent> absent_;  // of each term of the query
  std::vector<double> cosines_;
  std::vector<double> profiles_;
  Wide shared_ = 0;  // of the query and the document that is left out, as gone_ is of it alone
  Wide gone_ = 0;
  Wide gone_square_ = 0;
};

}  // namespace kindred
