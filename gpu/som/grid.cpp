#include "gpu/som/grid.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr int kNarrowBits = 30, kSharedBits = 21;

/// The bits of the largest absolute value of `size` values. Bits of floats without their sign
/// compare as the floats do.
std::uint32_t largest_bits(const float* values, std::uint64_t size) {
  std::uint32_t largest = 0;
  for (std::uint64_t i = 0; i < size; ++i)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffu);
  return largest;
}

std::uint32_t largest_bits(const float* values, std::uint64_t size, std::size_t threads) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
  std::uint32_t largest = 0;
  std::mutex mutex;
  for_each_chunk(size, kAtOnce, threads, [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint32_t found = largest_bits(values + begin, end - begin);
    const std::lock_guard lock(mutex);
    largest = std::max(largest, found);
  });
  return largest;
}

}  // namespace

SomBound SomBound::of(float largest) {
  if (largest == 0) return {};
  int exponent = 0;  // the value is in [2^(exponent - 1), 2^exponent)
  const float fraction = std::frexp(largest, &exponent);
  return {std::max(kLeast, fraction == 0.5f ? exponent - 1 : exponent)};
}

SomBound bound_of(const SomRows& rows, std::size_t threads) {
  const std::uint64_t begin = rows.row_begin[0];
  const std::uint32_t bits =
      largest_bits(rows.weight + begin, rows.row_begin[rows.rows] - begin, threads);
  return SomBound::of(std::bit_cast<float>(bits));
}

SomGrid::SomGrid(const SomBound& bound, std::vector<std::int64_t> hits)
    : hits_(std::move(hits)),
      slot_(hits_.size(), kNarrow),
      scale_(hits_.size()),
      quantum_(hits_.size()) {
  for (std::uint32_t unit = 0; unit < hits_.size(); ++unit) {
    const auto rows = static_cast<std::uint64_t>(hits_[unit]);
    const int log = static_cast<int>(std::bit_width(rows | 1)) - 1;
    const bool is_narrow = rows <= kNarrowRows;
    const int bits = is_narrow ? kNarrowBits - log : kSharedBits;
    scale_[unit] = std::ldexp(1.0f, bits - bound.exponent);
    quantum_[unit] = std::ldexp(1.0f, bound.exponent - bits);
    if (is_narrow) continue;
    slot_[unit] = static_cast<std::uint32_t>(wide_.size());
    wide_.push_back(unit);
  }
}

}  // namespace kindred
