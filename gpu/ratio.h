#pragma once

namespace kindred {

/// The quotient; 0 where `b` is 0, as for the mean of nothing. `b` is not negative.
inline double ratio_or_zero(double a, double b) {
  if (b > 0) return a / b;
  return 0;
}

}  // namespace kindred
