#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/backend.h"
#include "gpu/som_lattice.h"
#include "gpu/som_neighborhood.h"
#include "gpu/som_rows.h"

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

/// One device that holds one map in training. An epoch is
///   match() and accumulate() of every partition, in any portions;  add() of what other devices
///   collected, if there are any;  update().
/// Data go through the device partition by partition and are not kept. For one thread at a time.
/// The same calls give the same bits on one twin, on any number of threads.
class SomTwin {
 public:
  virtual ~SomTwin() = default;

  /// Replaces the codebook and empties the sums.
  /// @throws Error kInvalidArgument if its shape is not the map's; kOutOfMemory or std::bad_alloc.
  virtual void load(const SomCodebook& codebook) = 0;

  /// The two nearest units of each row: those with the least |w|^2 - 2 x.w, computed in float.
  /// `matches` has one entry a row.
  /// @throws Error kInvalidArgument if the columns are not the map's or the sizes differ.
  virtual void match(const SomRows& partition, std::span<SomMatch> matches) const = 0;

  /// Adds every row to the sums of its best unit. Errors as match().
  virtual void accumulate(const SomRows& partition, std::span<const SomMatch> matches) = 0;

  virtual SomSums sums() const = 0;             ///< a copy, to add up elsewhere
  virtual void add(const SomSums& others) = 0;  ///< what another device collected

  /// Moves the units and empties the sums: w_u = sum_v h(u, v) S_v / sum_v h(u, v) n_v with S, n
  /// the sums and hits (batch map: Kohonen, section 3.6). Units that nothing reaches stay. Without
  /// any hits nothing moves.
  virtual void update(const SomNeighborhood& neighborhood) = 0;

  virtual SomCodebook codebook() const = 0;  ///< a copy
};

/// A twin for maps of `columns` columns, its codebook 0. Of the options it heeds kind and threads;
/// "auto" takes the CPU.
/// @throws Error kInvalidArgument as check_lattice(), or for a kind that is not known; kUnsupported
/// for "cuda"; kOutOfMemory or std::bad_alloc.
std::unique_ptr<SomTwin> make_som_twin(const SomLattice& lattice, std::uint32_t columns,
                                       const BackendOptions& options);

}  // namespace kindred
