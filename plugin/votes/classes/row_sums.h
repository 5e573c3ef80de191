#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/pulse.h"
#include "gpu/queries.h"
#include "gpu/segment_list.h"

namespace kindred {

// The units of fixed point: of sums, of the weights of a query, and of logarithms.
constexpr double kSumUnit = 0x1p-30;
constexpr double kQueryUnit = 0x1p-40;
constexpr double kLogUnit = 0x1p-40;
constexpr double kSumPrior = 0.03;  // a; 0.01 and 0.1 hardly differ: docs/quality.md

inline std::int64_t fixed_point(double value, double unit) { return std::llrint(value / unit); }

/// ln((inside + a) / (outside + a)), both in kSumUnit.
inline double log_odds(double inside, double outside) {
  return std::log((inside * kSumUnit + kSumPrior) / (outside * kSumUnit + kSumPrior));
}

/// The same in kLogUnit.
inline std::int64_t fixed_log_odds(std::int64_t inside, std::int64_t outside) {
  return fixed_point(log_odds(static_cast<double>(inside), static_cast<double>(outside)), kLogUnit);
}

struct LabelSum {
  std::int64_t sum;   ///< S(l)_t, above 0
  std::int64_t gain;  ///< ln((S(l)_t + a) / (S_t - S(l)_t + a)) - absent
};

/// The sums of one term t; see ClassSums.
struct TermSums {
  std::int64_t total = 0;             ///< S_t
  std::int64_t absent = 0;            ///< ln(a / (S_t + a)), for labels that lack the term
  std::vector<std::uint32_t> labels;  ///< that have the term, ascending
  std::vector<LabelSum> sums;         ///< of each
};

/// What some documents add to a label, in kSumUnit or as a number of documents. Not 0.
struct LabelTotal {
  std::uint32_t label;
  std::int64_t sum;
};

/// What rows of a segment add to the sums of the terms that they hold. Never changes.
class RowSums {
 public:
  /// What they add to one term, borrowed.
  struct Term {
    std::int64_t total = 0;                ///< to S_t
    std::span<const LabelTotal> labels{};  ///< to S(l)_t; labels ascending
  };

  RowSums() = default;  ///< of no row
  /// The rows that came count, those that are gone count less than nothing. Rows without labels, or
  /// without terms that weigh anything, do not count. The result does not depend on `threads`.
  RowSums(const Segment& segment, const RowSet& come, const RowSet& gone,
          const TermWeighting& weighting, std::uint32_t label_count, std::size_t threads,
          const Pulse& pulse = {});
  /// a + sign b.
  RowSums(const RowSums& a, const RowSums& b, int sign);

  const std::vector<std::uint32_t>& terms() const { return terms_; }  ///< ascending
  Term at(std::size_t i) const {                                      ///< of the i-th term
    return {total_[i], std::span(labels_).subspan(begin_[i], begin_[i + 1] - begin_[i])};
  }
  /// Of a term; nothing if no row holds it. `index`: 0, or as a call for a lesser term left it,
  /// from where the search goes on.
  Term of(std::uint32_t term, std::size_t& index) const;
  /// How many of the rows count, for each label that they have.
  const std::vector<LabelTotal>& documents() const { return documents_; }
  std::size_t size() const { return labels_.size(); }  ///< sums of labels over terms
  std::size_t bytes() const;

 private:
  void append(std::uint32_t term, const Term& sums);

  std::vector<std::uint32_t> terms_;
  std::vector<std::int64_t> total_;    // of each term
  std::vector<std::size_t> begin_{0};  // of each term's labels; terms + 1
  std::vector<LabelTotal> labels_;
  std::vector<LabelTotal> documents_;
};

/// a + sign b, labels ascending in both and in the result.
std::vector<LabelTotal> added_up(std::span<const LabelTotal> a, std::span<const LabelTotal> b,
                                 int sign = 1);

}  // namespace kindred
