#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/on_demand.h"

namespace kindred {

// The units of fixed point: of sums, of the weights of a query, and of logarithms.
constexpr double kSumUnit = 0x1p-30, kQueryUnit = 0x1p-40, kLogUnit = 0x1p-40;
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
  std::uint32_t label;
  std::int64_t sum;   ///< S(l)_t, above 0
  std::int64_t gain;  ///< ln((S(l)_t + a) / (S_t - S(l)_t + a)) - absent
};

/// The sums of one term t, borrowed; see ClassSums.
struct TermSums {
  std::int64_t total = 0;             ///< S_t
  std::int64_t absent = 0;            ///< ln(a / (S_t + a)), for labels that lack the term
  std::span<const LabelSum> entries;  ///< labels ascending
};

struct OwnTermSums {
  std::int64_t total = 0;
  std::int64_t absent = 0;
  std::vector<LabelSum> entries;

  TermSums view() const { return {total, absent, entries}; }
};

/// Adds up the sums of one term. Reused from term to term.
class TermAdder {
 public:
  explicit TermAdder(std::uint32_t label_count) : of_label_(label_count, 0), met_(label_count, 0) {}

  void add(std::int64_t unit, std::span<const std::uint32_t> labels);
  /// The sums; the next ones begin at 0.
  OwnTermSums take();

 private:
  std::int64_t total_ = 0;
  std::vector<std::int64_t> of_label_;
  std::vector<char> met_;
  std::vector<std::uint32_t> present_;
};

/// The sum of one label over one term, in kSumUnit. May be 0.
struct LabelTotal {
  std::uint32_t label;
  std::int64_t sum;
};

/// What a document adds to the sums of one term: in kSumUnit, negative if it left.
struct TermPart {
  std::uint32_t term;
  std::uint32_t document;  ///< its number in lists of labels
  std::int64_t unit;
};

/// The labels of documents, ascending for each.
using LabelLists = std::span<const std::span<const std::uint32_t>>;

/// What the sum of a label over a term was, and is.
struct LabelStep {
  std::uint32_t label;
  std::int64_t before, after;
};

/// What differs of the sums of some terms from those that they had first. Lies in a few blocks of
/// memory, however many the terms are. A new total changes the logarithms of all labels, so these
/// are computed when somebody asks for the term. When all terms are there, any number of threads
/// may share it.
class ChangedTerms {
 public:
  /// The sums of a term before a change: the total, what differs, and those that it had first.
  struct Known {
    std::int64_t total;
    std::span<const LabelTotal> sums;
    TermSums first;
  };

  /// Room for so many terms, which have about so many sums that differ.
  ChangedTerms(std::size_t terms, std::size_t sums);

  /// Adds a term, which is behind those before. Appends the steps of its labels, ascending.
  void add(std::uint32_t term, const Known& known, std::span<const TermPart> parts,
           LabelLists labels_of, std::vector<LabelStep>& steps);

  std::uint32_t size() const { return static_cast<std::uint32_t>(term_.size()); }
  std::uint32_t term(std::uint32_t i) const { return term_[i]; }
  std::int64_t total(std::uint32_t i) const { return total_[i]; }
  /// The sums of the labels that differ, labels ascending.
  std::span<const LabelTotal> sums(std::uint32_t i) const {
    return std::span(sums_).subspan(begin_[i], begin_[i + std::size_t{1}] - begin_[i]);
  }
  /// All sums of the i-th term. `first`: those that it had first.
  TermSums whole(std::uint32_t i, const TermSums& first) const;
  std::size_t bytes() const;

 private:
  OwnTermSums joined(std::uint32_t i, const TermSums& first) const;

  std::vector<std::uint32_t> term_;
  std::vector<std::int64_t> total_;
  std::vector<std::size_t> begin_{0};  ///< of each term's sums; terms + 1
  std::vector<LabelTotal> sums_;
  std::vector<Lazy<std::unique_ptr<const OwnTermSums>>> whole_;  ///< of each term
};

}  // namespace kindred
