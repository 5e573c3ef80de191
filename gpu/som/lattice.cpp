#include "gpu/som/lattice.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kHexagonalRows = 0.86602540378443864676;  // sqrt(3) / 2
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 24;
constexpr double kSlack = 1e-9;  // of a squared distance, for its rounding

double wrapped(double distance, double around) { return std::min(distance, around - distance); }

std::uint32_t distance_of(std::uint32_t a, std::uint32_t b) {
  return std::max(a, b) - std::min(a, b);
}

/// How far rows are apart.
double row_height(const SomLattice& lattice) { return lattice.hexagonal ? kHexagonalRows : 1.0; }

/// How the target's row is shifted against the source's.
enum Shift : std::uint32_t { kNone, kTargetRight, kTargetLeft, kShifts };

constexpr int kNarrowBits = 30;
constexpr int kSharedBits = 21;

/// A factor of the full neighborhood at this distance.
double neighborhood_factor(double sigma, double distance) {
  const double factor = std::exp(-distance * distance / (2 * sigma * sigma));
  return factor < 0x1p-50 ? 0 : factor;
}

}  // namespace

double SomLattice::x(std::uint32_t unit) const {
  const double column = unit % columns;
  const bool is_shifted = hexagonal && unit / columns % 2 == 1;
  return is_shifted ? column + 0.5 : column;
}

double SomLattice::y(std::uint32_t unit) const {
  const std::uint32_t row = unit / columns;
  return row * row_height(*this);
}

double SomLattice::row_distance(std::uint32_t a, std::uint32_t b) const {
  double apart = distance_of(a, b);
  if (toroidal) apart = wrapped(apart, rows);
  return apart * row_height(*this);
}

double SomLattice::column_distance(std::int64_t columns_apart, std::uint32_t target_row,
                                   std::uint32_t source_row) const {
  int shift = 0;  // of the target, in halves of a column
  if (hexagonal) shift = static_cast<int>(target_row % 2) - static_cast<int>(source_row % 2);
  const double apart = std::abs(static_cast<double>(columns_apart) + 0.5 * shift);
  return toroidal ? std::abs(wrapped(apart, columns)) : apart;
}

double SomLattice::squared_distance(std::uint32_t a, std::uint32_t b) const {
  const double down = row_distance(a / columns, b / columns);
  const double across =
      column_distance(std::int64_t{b % columns} - a % columns, b / columns, a / columns);
  return down * down + across * across;
}

bool are_neighbors(const SomLattice& lattice, std::uint32_t a, std::uint32_t b) {
  const double reach = lattice.hexagonal ? 1 : 2;  // squared
  return a != b && lattice.squared_distance(a, b) <= reach + kSlack;
}

std::vector<std::uint32_t> neighbors_of(const SomLattice& lattice, std::uint32_t unit) {
  std::vector<std::uint32_t> found;
  const std::uint32_t row = unit / lattice.columns;
  const std::uint32_t column = unit % lattice.columns;

  // Tries the rows and columns around the unit, also across the edge of a torus. The distance
  // decides.
  for (std::uint32_t i = 0; i < 9; ++i) {
    const std::uint32_t r = (row + lattice.rows + i / 3 - 1) % lattice.rows;
    const std::uint32_t c = (column + lattice.columns + i % 3 - 1) % lattice.columns;
    const std::uint32_t other = r * lattice.columns + c;
    if (are_neighbors(lattice, unit, other)) found.push_back(other);
  }

  // On a narrow torus, two ways lead to one unit.
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void check_lattice(const SomLattice& lattice) {
  const std::uint64_t units = std::uint64_t{lattice.rows} * lattice.columns;
  if (units == 0 || units > kMostUnits)
    throw Error(Errc::kInvalidArgument, "a map of " + std::to_string(lattice.rows) + " rows and " +
                                            std::to_string(lattice.columns) +
                                            " columns: expected 1 to 16777216 units");

  if (lattice.hexagonal && lattice.toroidal && lattice.rows % 2 == 1)
    throw Error(Errc::kInvalidArgument,
                "a hexagonal torus of " + std::to_string(lattice.rows) +
                    " rows: expected an even number, so that the last row fits the first");
}

double neighborhood(const SomNeighborhood& neighborhood, double down, double across) {
  const double sigma = neighborhood.sigma;
  if (!neighborhood.cut)
    return neighborhood_factor(sigma, down) * neighborhood_factor(sigma, across);

  const double squared = down * down + across * across;
  // The slack treats distances that differ only by rounding alike.
  if (squared > sigma * sigma * (1 + 1e-12)) return 0;
  return std::exp(-squared / (2 * sigma * sigma));
}

std::uint32_t SomFactors::table_of(std::uint32_t target_row, std::uint32_t source_row) const {
  Shift shift = kNone;
  if (is_shifted(target_row, source_row)) shift = target_row % 2 == 1 ? kTargetRight : kTargetLeft;
  if (!neighborhood_.cut) return shift;
  return distance_of(target_row, source_row) * kShifts + shift;
}

/// Any two rows that use a table can fill it: the distance along the rows depends only on the
/// shift, and the distance across them only on how far the rows are apart.
SomFactors::SomFactors(const SomLattice& lattice, const SomNeighborhood& neighborhood)
    : lattice_(lattice), neighborhood_(neighborhood) {
  const std::uint32_t rows = lattice_.rows;
  const std::uint32_t distances = neighborhood_.cut ? rows : 1;  // that have tables of their own
  tables_.assign(std::size_t{width()} * kShifts * distances, 0);
  across_.assign(std::size_t{rows} * rows, 0);

  // Each pair of rows has its factor across them. Tables are shared by pairs of rows, so only those
  // of the first two rows on either side are filled: they show every shift, at every distance.
  for (std::uint32_t target = 0; target < rows; ++target) {
    for (std::uint32_t source = 0; source < rows; ++source) {
      const double down = lattice_.row_distance(target, source);
      across_[std::size_t{target} * rows + source] =
          static_cast<float>(kindred::neighborhood(neighborhood_, down, 0));
      if (target > 1 && source > 1) continue;  // the table is filled

      // Sources and targets of a row differ by -(columns - 1) to columns - 1 columns. A full
      // neighborhood has the factor along the rows here, a cut one the whole factor.
      float* table = tables_.data() + std::size_t{table_of(target, source)} * width();
      for (std::uint32_t i = 0; i < width(); ++i) {
        const double along = lattice_.column_distance(
            std::int64_t{i} - (lattice_.columns - std::int64_t{1}), target, source);
        const double factor = neighborhood_.cut ? kindred::neighborhood(neighborhood_, down, along)
                                                : neighborhood_factor(neighborhood_.sigma, along);
        table[i] = static_cast<float>(factor);
      }
    }
  }
}

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
