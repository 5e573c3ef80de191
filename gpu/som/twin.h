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

/// What an epoch collects before it moves the units: for each unit the sum of the rows it won and
/// their number. Sums of partitions, or of devices, add up.
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

/// @throws Error kInvalidArgument if a codebook, or rows, are not of this shape.
void check_shape(const SomCodebook& codebook, std::uint32_t units, std::uint32_t columns);
void check_columns(const SomRows& rows, std::uint32_t columns);

/// Rows of a unit that are added up at once (see SomPart::match_and_accumulate).
inline constexpr std::uint32_t kSomSegment = 1024;

/// How the rows of a part fared in a match.
struct SomTally {
  std::uint64_t rows = 0;
  std::uint64_t moved = 0;  ///< whose best unit is another than at the match before, or the first
  std::uint64_t torn = 0;   ///< whose second-best unit is no neighbor of the best
  double distance = 0;      ///< to the best units, summed

  SomTally& operator+=(const SomTally& other);
};

/// Rows in training, as a twin holds them, with what the last match found. Borrows both: the twin,
/// and the rows' memory, which must not change. An epoch is match_and_accumulate() of every part,
/// then SomTwin::update().
class SomPart {
 public:
  virtual ~SomPart() = default;

  /// Finds the two nearest units of each row: those with the least |w|^2 - 2 x.w, computed in
  /// float.
  /// @throws Error kOutOfMemory, kDevice, or std::bad_alloc.
  virtual SomTally match(SomNeighbors neighbors) = 0;

  /// The same, and adds every row to the sums of its best unit, in the order of the rows. Of sparse
  /// rows the first 1,024 of a unit are added to its sum one by one, in float; each 1,024 more are
  /// added up first. Dense rows are added up in double by 1,024, then these sums, and rounded once.
  virtual SomTally match_and_accumulate(SomNeighbors neighbors) = 0;

  /// What the last match found, [rows].
  virtual std::vector<SomMatch> matches() const = 0;
};

/// One device that holds one map in training. For one thread at a time. The same calls give the
/// same bits on one twin, on any number of threads; and on every twin, as long as a device holds
/// each part whole: one that cannot goes through it in portions, whose sums add up within rounding.
class SomTwin {
 public:
  virtual ~SomTwin() = default;

  /// Replaces the codebook and empties the sums.
  /// @throws Error kInvalidArgument if its shape is not the map's; kOutOfMemory or std::bad_alloc.
  virtual void load(const SomCodebook& codebook) = 0;

  /// Takes rows into training. A device keeps a copy if it has the room, else it reads them again
  /// in each match. The twin must outlive the part.
  /// @throws Error kInvalidArgument if the columns are not the map's; as match().
  virtual std::unique_ptr<SomPart> hold(const SomRows& rows) = 0;

  virtual SomSums sums() const = 0;             ///< a copy, to add up elsewhere
  virtual void add(const SomSums& others) = 0;  ///< what another device collected

  /// Moves the units and empties the sums: w_u = sum_v h(u, v) S_v / sum_v h(u, v) n_v with S, n
  /// the sums and hits (batch map: Kohonen, section 3.6). Units that nothing reaches stay. Without
  /// any hits nothing moves.
  virtual void update(const SomNeighborhood& neighborhood) = 0;

  virtual SomCodebook codebook() const = 0;  ///< a copy

  virtual std::size_t threads() const = 0;  ///< of the CPU, that its calls may take; at least 1
};

}  // namespace kindred
