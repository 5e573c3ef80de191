#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/store/string_table.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

/// Asks linear classifiers about one vector after another. For one thread.
class LinearComparison {
 public:
  /// Borrows the classifiers.
  explicit LinearComparison(const LinearVotes& votes)
      : votes_(votes),
        sums_(votes.classifiers().labels.size()),
        values_(votes.classifiers().labels.size()) {}

  /// Computes the values of all classifiers for a unit vector: 1 or more for a clear member, -1 or
  /// less for a clear other. A sum is one of integers, so it does not depend on the order of terms.
  /// `learned`: if the classifiers were learned from the vector's document, its labels, ascending;
  /// the values are then about those that it would have if they had not been (LeftOutFactors).
  void compare(const SparseVector& query, std::span<const std::uint32_t> learned);

  // What the last comparison says:

  /// The value of a label of the mirror; a NaN if it has no classifier.
  double value(std::uint32_t label) const;
  /// Appends the labels with the largest values, at most so many. Equal ones go by their names.
  void append_best(std::size_t most, const StringTable& names, std::vector<std::uint32_t>& labels);

 private:
  const LinearVotes& votes_;
  std::vector<std::int64_t> sums_;  // of each classifier, as values_
  std::vector<double> values_;
  std::vector<std::uint32_t> best_;  // classifiers
};

}  // namespace kindred
