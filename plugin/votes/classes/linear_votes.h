#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/linear_classifiers.h"

namespace kindred {

/// What linear classifiers say, in the terms and labels of a mirror. Immutable; any number of
/// threads may share it.
class LinearVotes {
 public:
  LinearVotes(std::shared_ptr<const LinearClassifiers> classifiers, const StringTable& vocabulary,
              const StringTable& labels);

  /// The same for a vocabulary and labels that have grown.
  LinearVotes extended(const StringTable& vocabulary, const StringTable& labels) const;

  std::size_t bytes() const;  ///< with the classifiers
  bool learned_from(std::uint32_t docid) const { return classifiers_->learned_from().has(docid); }

  /// Writes the value of each label's classifier for a unit vector: 1 or more for a clear member,
  /// -1 or less for a clear other. The sum is one of integers, so it does not depend on the order
  /// of terms. A label that is newer than the classifiers has a NaN.
  void compare(const SparseVector& query, std::span<double> values) const;

  /// Turns the values of a document that was learned from into about those that it would have if it
  /// had not been, by LeftOutGrowth. `own`: its labels, ascending.
  void leave_out(std::span<const std::uint32_t> own, std::span<double> values) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void extend(const StringTable& vocabulary, const StringTable& labels);

  std::shared_ptr<const LinearClassifiers> classifiers_;
  std::vector<std::uint32_t> term_of_column_;
  std::vector<std::uint32_t> own_of_label_;  // a label's number among those of the classifiers
};

}  // namespace kindred
