#include "gpu/som/grid.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr int kNarrowBits = 30;
constexpr int kSharedBits = 21;

}  // namespace

SomBound SomBound::of(float largest) {
  if (largest == 0) return {};

  // A power of two is its own bound, so it does not need the next exponent.
  int exponent = 0;  // the value is in [2^(exponent - 1), 2^exponent)
  const float fraction = std::frexp(largest, &exponent);
  if (fraction == 0.5f) --exponent;
  return {std::max(kLeast, exponent)};
}

/// The bits of floats without their sign compare as the floats do, and make vector code.
SomBound bound_of(const SomRows& rows, std::size_t threads) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
  const float* const weight = rows.weight + rows.row_begin[0];
  const std::uint64_t size = rows.row_begin[rows.rows] - rows.row_begin[0];
  std::uint32_t largest = 0;
  std::mutex mutex;

  // Each chunk has its own maximum, so that the lock is taken once for a chunk.
  for_each_chunk(size, kAtOnce, threads, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint32_t own = 0;
    for (std::uint64_t i = begin; i < end; ++i)
      own = std::max(own, std::bit_cast<std::uint32_t>(weight[i]) & 0x7fffffffu);

    const std::lock_guard lock(mutex);
    largest = std::max(largest, own);
  });
  return SomBound::of(std::bit_cast<float>(largest));
}

SomGrid::SomGrid(const SomBound& bound, std::vector<std::int64_t> hits)
    : hits_(std::move(hits)),
      slot_(hits_.size(), kNarrow),
      scale_(hits_.size()),
      quantum_(hits_.size()) {
  for (std::uint32_t unit = 0; unit < hits_.size(); ++unit) {
    // The fewer rows a unit has, the more bits each value may have without an overflow of their
    // sum.
    const auto rows = static_cast<std::uint64_t>(hits_[unit]);
    const int log = static_cast<int>(std::bit_width(rows | 1)) - 1;
    const bool is_narrow = rows <= kNarrowRows;
    const int bits = is_narrow ? kNarrowBits - log : kSharedBits;

    scale_[unit] = std::ldexp(1.0f, bits - bound.exponent);
    quantum_[unit] = std::ldexp(1.0f, bound.exponent - bits);

    // Wide units are few. Each gets a slot of its own for sums of 64 bits.
    if (is_narrow) continue;
    slot_[unit] = static_cast<std::uint32_t>(wide_.size());
    wide_.push_back(unit);
  }
}

}  // namespace kindred
