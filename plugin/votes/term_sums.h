#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

/// What differs of a term's sums from those that it had first. A new total changes the logarithms
/// of all labels, so these are computed when somebody asks for the term. Thread-safe.
class ChangedTermSums {
 public:
  /// `sums`: those that differ, labels ascending.
  ChangedTermSums(std::int64_t total, std::vector<LabelTotal> sums)
      : total_(total), sums_(std::move(sums)) {}
  ~ChangedTermSums() { delete whole_.load(); }
  ChangedTermSums(const ChangedTermSums&) = delete;
  ChangedTermSums& operator=(const ChangedTermSums&) = delete;

  std::int64_t total() const { return total_; }
  std::span<const LabelTotal> sums() const { return sums_; }
  /// All sums. `first`: those that the term had first.
  TermSums whole(const TermSums& first) const;
  std::size_t bytes() const;

 private:
  OwnTermSums joined(const TermSums& first) const;

  std::int64_t total_;
  std::vector<LabelTotal> sums_;
  mutable std::atomic<const OwnTermSums*> whole_ = nullptr;
};

/// What a document adds to the sums of one term: in kSumUnit, negative if it left.
struct TermPart {
  std::uint32_t term;
  std::int64_t unit;
  std::span<const std::uint32_t> labels;  ///< of the document, ascending
};

/// What some documents do to the sums of one term.
class TermSumsChange {
 public:
  struct Step {
    std::uint32_t label;
    std::int64_t before, after;
  };

  TermSumsChange() = default;
  /// `before`: what differed before, or null. `first`: the sums that the term had first.
  TermSumsChange(const ChangedTermSums* before, const TermSums& first,
                 std::span<const TermPart> parts);

  std::int64_t total_before() const { return total_before_; }
  std::span<const Step> steps() const { return steps_; }  ///< labels ascending
  /// What differs now.
  const std::shared_ptr<const ChangedTermSums>& after() const { return after_; }

 private:
  void add_up_steps();
  std::vector<LabelTotal> with_steps(std::span<const LabelTotal> known) const;

  std::int64_t total_before_ = 0;
  std::vector<Step> steps_;
  std::shared_ptr<const ChangedTermSums> after_;
};

}  // namespace kindred
