#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/som/rows.h"

namespace kindred {

/// How large the values are that the grid of an epoch's sums must hold.
struct SomBound {
  int exponent = kLeast;  ///< no absolute value exceeds 2^exponent; at least kLeast

  /// Values below 2^-70 count as if they were bounded by it: all scales stay normal floats.
  static constexpr int kLeast = -70;

  /// The least bound of rows whose largest absolute value this is.
  static SomBound of(float largest);
};

/// The least bound of these rows, which have passed check_rows(). Up to `threads` threads.
SomBound bound_of(const SomRows& rows, std::size_t threads);

/// The integers that an epoch's sums consist of. Unit u has a scale, a power of two. Each value x
/// that is added to a sum of the unit is first rounded to the integer nearest to x * scale, ties to
/// even. So a sum is one of integers: it has no order, and no rounding of its own. The scale
/// follows from the number n of rows that the unit wins, over all parts, devices and processes, and
/// from 2^b, the bound of their values. With k = floor(log2 n), 0 if n = 0:
/// - n < 1,024: 2^(30 - k - b). A sum fits 32 bits: the unit is narrow.
/// - n from 1,024: 2^(21 - b). A sum fits 64 bits: the unit is wide. Any 1,023 of its
///   rows together still fit 32.
///
/// No sum overflows: n values of at most 2^(30-k), with n < 2^(k+1), stay below 2^31, and 2^42
/// values of at most 2^21 below 2^63. Rounding moves a value by at most 2^(b-22), and so a weight,
/// the quotient of smoothed sums and hits: by 2.4e-7 for rows of length 1.
class SomGrid {
 public:
  /// The most rows whose sums fit 32 bits at the scale of a wide unit, and in a narrow one.
  static constexpr std::uint32_t kNarrowRows = 1023;
  static constexpr std::uint32_t kNarrow = UINT32_MAX;

  SomGrid() = default;
  /// `hits`: the rows of each unit, [units], each below 2^42.
  SomGrid(const SomBound& bound, std::vector<std::int64_t> hits);

  const std::vector<std::int64_t>& hits() const { return hits_; }
  /// Units with sums of 64 bits, ascending.
  const std::vector<std::uint32_t>& wide() const { return wide_; }
  /// The place of a unit in wide(); kNarrow if it is narrow.
  std::uint32_t slot(std::uint32_t unit) const { return slot_[unit]; }
  const std::vector<std::uint32_t>& slots() const { return slot_; }  ///< [units]

  const std::vector<float>& scales() const { return scale_; }    ///< [units], normal numbers
  const std::vector<float>& quanta() const { return quantum_; }  ///< [units], 1 / scale

 private:
  std::vector<std::int64_t> hits_;
  std::vector<std::uint32_t> wide_;
  std::vector<std::uint32_t> slot_;
  std::vector<float> scale_;
  std::vector<float> quantum_;
};

/// The integer nearest to value * scale, ties to even. Both factors are such that the product is
/// exact in double and at most 2^51. Adding 1.5 * 2^52 rounds it: it leaves no bits for fractions.
inline std::int64_t on_grid(float value, double scale) {
  constexpr double kRound = 0x1.8p52;
  return std::bit_cast<std::int64_t>(value * scale + kRound) - std::bit_cast<std::int64_t>(kRound);
}

}  // namespace kindred
