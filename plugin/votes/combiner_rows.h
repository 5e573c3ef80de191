#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "plugin/votes/combiner.h"

namespace kindred {

/// The numbers that a combiner weighs: 1 for the intercept, the features, and the four leads of
/// the multi-label form.
inline constexpr std::size_t kCombinerSize = Combiner::kCoefficients + 1;
using CombinerRow = std::array<double, kCombinerSize>;

/// The two largest values of one kind over all labels.
template <typename Value>
struct Largest {
  Value first = -std::numeric_limits<Value>::infinity(), second = first;

  void add(Value value) {
    second = std::max(second, std::min(first, value));
    first = std::max(first, value);
  }
  /// By how much a label exceeds the best of all others; 0 if it is the only one.
  Value lead(Value value) const {
    const Value other = value == first ? second : first;
    return std::isinf(other) ? 0 : value - other;
  }
};

template <std::size_t kSize>
double dot(const std::array<double, kSize>& a, const std::array<double, kSize>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) sum += a[i] * b[i];
  return sum;
}

/// Fills in the row of every label of one document. `features` is row-major [rows.size(),
/// kLabelFeatures].
void expand(std::span<const float> features, std::vector<CombinerRow>& rows);

/// Replaces each z by e^z / (sum of e^z). Returns ln(sum of e^z).
double soften(std::span<double> z);

}  // namespace kindred
