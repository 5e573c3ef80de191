#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

// The definition of a similarity, as code; docs/scoring.md derives it and bounds its error. Every
// implementation of gpu/knn/backend.h builds its answer from these functions, on the host or on a
// device, so all return the same bits. The functions use only operations that IEEE 754 rounds
// exactly (+, *, /, sqrt, rounding to an integer), in the default rounding mode. They must be
// compiled without contraction to fused multiply-adds.

#ifdef __CUDACC__
#define KINDRED_HOST_DEVICE __host__ __device__
#else
#define KINDRED_HOST_DEVICE
#endif

namespace kindred {

/// The sum of a vector's squares as an integer of 128 bits, in units of 2^-52: the order in which
/// they are added does not matter. Every weight is scaled by the same power of two first.
struct SquareSum {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  KINDRED_HOST_DEVICE void add(double scaled_weight) {
    const auto square = static_cast<std::uint64_t>(llrint(scaled_weight * scaled_weight * 0x1p52));
    add({square, 0});
  }
  KINDRED_HOST_DEVICE void add(const SquareSum& other) {
    low += other.low;
    high += other.high;
    if (low < other.low) ++high;  // the carry
  }
  /// The square root of the sum.
  KINDRED_HOST_DEVICE double root() const {
    const double sum = static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    return std::sqrt(sum * 0x1p-52);
  }
};

/// The power of two that brings a vector's largest weight, if it is at least 2^-1000 and finite,
/// into [1/2, 1).
KINDRED_HOST_DEVICE inline double length_scale(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, exponent > -1000 ? -exponent : 1000);
}

/// |v| of the n weights weight_at(0) .. weight_at(n - 1), each >= 0, in any order. Infinite if a
/// weight is.
template <typename WeightAt>
KINDRED_HOST_DEVICE double euclidean_length(std::size_t n, WeightAt&& weight_at) {
  double largest = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double weight = weight_at(j);
    if (largest < weight) largest = weight;
  }

  if (!(largest > 0) || std::isinf(largest)) return largest;

  // Scaling by a power of two changes no bit of a weight, and keeps squares from overflow and
  // underflow.
  const double scale = length_scale(largest);
  SquareSum sum;
  for (std::size_t j = 0; j < n; ++j) sum.add(weight_at(j) * scale);
  return sum.root() / scale;
}

/// The binary exponent s of the mirror's fixed point, for the length of its longest document: the
/// largest s with longest * 2^s < 2^62. No sum of contributions can then leave 63 bits.
inline int scale_exponent(double longest) {
  if (!(longest > 0)) return 0;
  int exponent = 0;
  std::frexp(longest, &exponent);  // longest = f * 2^exponent, f in [1/2, 1)
  return 62 - exponent;
}

/// The factor of a query's term: x_t * 2^s with x_t = unit weight * idf. `scale` = 2^s.
KINDRED_HOST_DEVICE inline double term_factor(double unit_weight, double idf, double scale) {
  return unit_weight * idf * scale;
}

/// I(t, c): what one shared term adds to the sum, in units of 2^-s, rounded to nearest even.
KINDRED_HOST_DEVICE inline std::int64_t contribution(double factor, double tf) {
  return static_cast<std::int64_t>(llrint(factor * tf));
}

/// The length by which a document is divided: its own or, if it is not 0, the one that all
/// documents have in common. For a document of length 0 it is 0.
KINDRED_HOST_DEVICE inline double dividing_length(double own, double common) {
  if (own > 0 && common > 0) return common;
  return own;
}

/// r_d = 2^-s / length, where the length is the dividing one, or 0 if that is 0. `unit` = 2^-s.
KINDRED_HOST_DEVICE inline double reciprocal_length(double length, double unit) {
  return length > 0 ? unit / length : 0;
}

/// The similarity of a document whose contributions add up to `sum`. Monotonic in `sum`, so bounds
/// of the sum give bounds of the similarity.
KINDRED_HOST_DEVICE inline float similarity(std::int64_t sum, double reciprocal) {
  const double product = static_cast<double>(sum) * reciprocal;
  return static_cast<float>(product < 1.0 ? product : 1.0);
}

/// The filter's coarse contribution: I / 2^shift, rounded up. A 32-bit sum of them, times 2^shift,
/// is at least the exact sum and exceeds it by less than 2^shift for each shared term.
KINDRED_HOST_DEVICE inline std::uint32_t coarse_contribution(std::int64_t exact, int shift) {
  const std::int64_t round_up = (std::int64_t{1} << shift) - 1;
  return static_cast<std::uint32_t>((exact + round_up) >> shift);
}

/// The smallest shift that keeps a coarse sum of `terms` contributions below 2^31, if their exact
/// sum is at most `largest`. `terms` is at most 2^30.
KINDRED_HOST_DEVICE inline int coarse_shift(std::int64_t largest, std::int64_t terms) {
  int shift = 0;
  while ((largest >> shift) + 1 + terms > INT32_MAX) ++shift;
  return shift;
}

/// The order of neighbors: similarity descending, then row ascending.
KINDRED_HOST_DEVICE inline bool ranks_before(float similarity_a, std::uint32_t row_a,
                                             float similarity_b, std::uint32_t row_b) {
  if (similarity_a != similarity_b) return similarity_a > similarity_b;
  return row_a < row_b;
}

}  // namespace kindred
