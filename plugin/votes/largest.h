#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kindred {

/// The two largest values of one kind over all labels.
template <typename Value>
struct Largest {
  Value first = -std::numeric_limits<Value>::infinity();
  Value second = first;

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

}  // namespace kindred
