#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/som/lattice.h"
#include "gpu/som/neighborhood.h"
#include "gpu/som/rows.h"

namespace kindred {

/// The weights of all units: [columns, units], so that the units of a column lie side by side.
struct SomCodebook {
  std::uint32_t units = 0;
  std::uint32_t columns = 0;
  std::vector<float> weight;

  float* column(std::uint32_t c) { return weight.data() + std::size_t{c} * units; }
  const float* column(std::uint32_t c) const { return weight.data() + std::size_t{c} * units; }
};

/// What an epoch collects before it moves the units: for each unit, the sum and the number of the
/// rows that it won. Sums of partitions, or of devices, can be added.
struct SomSums {
  SomCodebook sum;                  ///< laid out as the codebook
  std::vector<std::uint64_t> hits;  ///< [units]

  void add(const SomSums& other);  ///< of the same shape
};

/// A row's two nearest units, by Euclidean distance and then by number.
struct SomMatch {
  std::uint32_t unit = 0;
  std::uint32_t second = kNoUnit;  ///< kNoUnit on a map of one unit
  double distance = 0;             ///< to `unit`, finished in double

  static constexpr std::uint32_t kNoUnit = UINT32_MAX;
  friend bool operator==(const SomMatch&, const SomMatch&) = default;
};

/// @throws Error kInvalidArgument if the codebook, or the rows, do not have this shape.
void check_shape(const SomCodebook& codebook, std::uint32_t units, std::uint32_t columns);
void check_columns(const SomRows& rows, std::uint32_t columns);

/// How many rows of a unit are added up together (see SomPart::match_and_accumulate).
inline constexpr std::uint32_t kSomSegment = 1024;

/// The outcome of a match of a part's rows.
struct SomTally {
  std::uint64_t rows = 0;
  std::uint64_t moved = 0;  ///< whose best unit differs from the last match; at first all
  std::uint64_t torn = 0;   ///< whose second-best unit is not a neighbor of the best
  double distance = 0;      ///< to the best units, summed

  SomTally& operator+=(const SomTally& other);
};

/// Rows in training, as a twin holds them, and what the last match found. Borrows the twin and the
/// rows' memory, which must not change. An epoch is match_and_accumulate() of every part, then
/// SomTwin::update().
class SomPart {
 public:
  virtual ~SomPart() = default;

  /// Finds the two nearest units of each row: those with the least |w|^2 - 2 x.w, computed in
  /// float.
  /// @throws Error kOutOfMemory, kDevice, or std::bad_alloc.
  virtual SomTally match(SomNeighbors neighbors) = 0;

  /// The same, and adds every row to the sum of its best unit, in the order of the rows:
  /// - Sparse rows are added in float. The first 1,024 of a unit are added to its sum one by one.
  ///   Each further 1,024 are added up first, and then their sum is added.
  /// - Dense rows are added up in double, 1,024 at a time. Then these sums are added up, and the
  ///   result is rounded once.
  virtual SomTally match_and_accumulate(SomNeighbors neighbors) = 0;

  /// What the last match found, [rows].
  virtual std::vector<SomMatch> matches() const = 0;
};

/// One device that holds one map in training. One thread may use it at a time. The same calls give
/// the same bits on any number of threads. They also give the same bits on every twin, if the
/// device holds each part as a whole. A device that cannot goes through the part in portions; then
/// the sums agree within rounding.
class SomTwin {
 public:
  virtual ~SomTwin() = default;

  /// Replaces the codebook and empties the sums.
  /// @throws Error kInvalidArgument if its shape is not the map's; kOutOfMemory or std::bad_alloc.
  virtual void load(const SomCodebook& codebook) = 0;

  /// Takes rows into training. A device keeps a copy if it has room for one; if not, it reads the
  /// rows again in each match. The twin must outlive the part.
  /// @throws Error kInvalidArgument if the columns are not the map's; as match().
  virtual std::unique_ptr<SomPart> hold(const SomRows& rows) = 0;

  virtual SomSums sums() const = 0;             ///< a copy, to add up elsewhere
  virtual void add(const SomSums& others) = 0;  ///< what another device collected

  /// Moves the units and empties the sums: w_u = sum_v h(u, v) S_v / sum_v h(u, v) n_v with S, n
  /// the sums and hits (batch map: Kohonen, section 3.6). Units that nothing reaches stay. Without
  /// any hits nothing moves.
  virtual void update(const SomNeighborhood& neighborhood) = 0;

  virtual SomCodebook codebook() const = 0;  ///< a copy

  virtual std::size_t threads() const = 0;  ///< CPU threads that its calls may use; at least 1
};

}  // namespace kindred
