#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/options.h"
#include "gpu/som/codebook.h"
#include "gpu/som/grid.h"
#include "gpu/som/lattice.h"
#include "gpu/som/match.h"
#include "gpu/som/neighborhood.h"
#include "gpu/som/rows.h"

namespace kindred {

/// Rows in training, as a twin holds them, and what the last match found. Borrows the twin and the
/// rows' memory, which must not change.
class SomPart {
 public:
  virtual ~SomPart() = default;

  virtual SomBound bound() const = 0;  ///< the least of its rows; throws as match()

  /// Finds the two nearest units of each row: those with the least |w|^2 - 2 x.w, computed in
  /// float.
  /// @throws Error kOutOfMemory, kDevice, or std::bad_alloc.
  virtual SomTally match() = 0;

  /// Adds to hits[u], [units], how many rows have u as their best unit. There was a match.
  virtual void count_hits(std::span<std::int64_t> hits) const = 0;

  /// Adds every row to the sums of its best unit, on the grid of the twin's begin_sums(), which
  /// comes first. Throws as match().
  virtual void accumulate() = 0;

  /// What the last match found, [rows].
  virtual std::vector<SomMatch> matches() const = 0;
};

/// One device that holds one map in training. One thread may use it at a time. An epoch is
/// 1. match() of every part, and the sum of what count_hits() of all parts, devices and processes
///    adds up to;
/// 2. begin_sums() with the grid that follows from it, then accumulate() of every part;
/// 3. if there are other processes, read_sums(), adding up, and write_sums(); if there are other
///    devices only, add_sums() of some columns for each of them;
/// 4. update() of these columns, copy_weights() of the others, and end_update().
/// Sums are integers, so the same rows give the same bits on every twin, on any number of threads,
/// parts, twins and processes, also if a part goes through a device in portions.
class SomTwin {
 public:
  virtual ~SomTwin() = default;

  /// Replaces the codebook and drops the sums.
  /// @throws Error kInvalidArgument if its shape is not the map's; kOutOfMemory or std::bad_alloc.
  virtual void load(const SomCodebook& codebook) = 0;

  /// Takes rows into training. A device keeps a copy if it has room for one; if not, it reads the
  /// rows again in each match, and once more to accumulate them. The twin must outlive the part.
  /// @throws Error kInvalidArgument if the columns are not the map's; as match().
  virtual std::unique_ptr<SomPart> hold(const SomRows& rows) = 0;

  /// Empties the sums for an epoch of rows within the grid's bound and hits. Takes memory for its
  /// wide units. @throws Error kOutOfMemory or std::bad_alloc.
  virtual void begin_sums(const SomGrid& grid) = 0;

  /// Copies the sums of columns from `first` on, [n, units] integers on the grid, and replaces
  /// them. The first may be called by any thread, at the same time as calls that change other
  /// columns. Throw as match().
  virtual void read_sums(std::uint32_t first, std::span<std::int64_t> sums) const = 0;
  virtual void write_sums(std::uint32_t first, std::span<const std::int64_t> sums) = 0;

  /// Adds another twin's sums of columns [first, last), on the same grid. That one may do the same
  /// with other columns meanwhile. Throws as match().
  virtual void add_sums(const SomTwin& other, std::uint32_t first, std::uint32_t last);

  /// Moves the units in columns [first, last): w_u = sum_v h(u, v) S_v / sum_v h(u, v) n_v with S,
  /// n the sums and hits (batch map: Kohonen, section 3.6). Each S is rounded once to float. Units
  /// that nothing reaches stay. Without any hits nothing moves.
  virtual void update(const SomNeighborhood& neighborhood, std::uint32_t first,
                      std::uint32_t last) = 0;

  /// Copies the weights of columns from `first` on, [n, units], and replaces them, as sums.
  virtual void read_weights(std::uint32_t first, std::span<float> weights) const = 0;
  virtual void write_weights(std::uint32_t first, std::span<const float> weights) = 0;
  /// Takes another twin's weights of columns [first, last), as add_sums() does sums.
  virtual void copy_weights(const SomTwin& other, std::uint32_t first, std::uint32_t last);

  /// Drops the sums, after all columns have been moved here or taken from others.
  virtual void end_update() = 0;

  virtual SomCodebook codebook() const = 0;  ///< a copy

  virtual std::uint32_t units() const = 0;
  virtual std::size_t threads() const = 0;  ///< CPU threads that its calls may use; at least 1
  /// What trains the map, for people: as BackendInfo::device.
  virtual std::string description() const = 0;
};

/// The twins of kinds "cpu" (gpu/cpu) and "cuda" (gpu/cuda). @throws Error as make_som_twins();
/// kUnsupported if no device answers.
std::unique_ptr<SomTwin> make_cpu_som(const SomLattice& lattice, std::uint32_t columns,
                                      std::size_t threads);
std::unique_ptr<SomTwin> make_cuda_som(const SomLattice& lattice, std::uint32_t columns,
                                       const BackendOptions& options);

}  // namespace kindred
