#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kindred::bench {

/// The value below which this share of `values` lies: .5 is the median, 0 and 1 the extremes.
inline double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + .5)];
}

}  // namespace kindred::bench
