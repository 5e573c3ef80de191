#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/som/codebook.h"
#include "gpu/som/exchange.h"
#include "gpu/som/grid.h"
#include "gpu/som/match.h"
#include "gpu/som/neighborhood.h"
#include "gpu/som/rows.h"
#include "gpu/som/twin.h"

namespace kindred {

/// Who trains a map: twins of this process, made for its lattice and columns, which share its rows;
/// and other processes, each with rows of its own.
struct SomTrainers {
  std::span<SomTwin* const> twins;  ///< at least one; they work at the same time
  SomExchange* others = nullptr;    ///< null: there are none
};

/// The twins and processes that train a map, as one: holds the rows, and runs the stages of an
/// epoch on all of them.
class SomReplicas {
 public:
  /// Distributes the rows of each partition to the twins. Borrows the twins, the span of them, and
  /// the rows. Every process makes the same calls. Calls throw what the twins and the exchange
  /// throw.
  SomReplicas(const SomTrainers& trainers, Partitions partitions);

  void load(const SomCodebook& codebook);

  /// Matches all rows. Gives the tally of all processes.
  SomTally match();

  /// Moves the units to the rows that the last match gave them.
  void update(const SomNeighborhood& neighborhood);

  std::vector<SomMatch> matches() const;  ///< of this process' rows, in their order
  SomCodebook codebook() const { return trainers_.twins.front()->codebook(); }

 private:
  struct HeldPart {
    std::size_t twin;
    std::unique_ptr<SomPart> part;
  };

  template <typename Work>
  void each_part(Work&& work);
  template <typename Work>
  void each_twin(Work&& work);
  void all_reduce(std::span<std::int64_t> values, SomReduction reduction);
  SomTally of_all(SomTally tally);
  void add_up();
  void move_units(const SomNeighborhood& neighborhood);

  const SomTrainers trainers_;
  const std::uint32_t columns_;
  SomBound bound_;
  std::vector<HeldPart> parts_;  // in the order of their rows
};

}  // namespace kindred
