#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/som/codebook.h"
#include "gpu/som/lattice.h"
#include "gpu/som/match.h"
#include "gpu/som/quality.h"
#include "gpu/som/replicas.h"
#include "gpu/som/rows.h"
#include "gpu/som/schedule.h"
#include "gpu/som/start.h"
#include "gpu/som/twin.h"

namespace kindred {

/// How a map is trained.
struct SomPlan {
  SomLattice lattice;
  SomSchedule schedule;
  bool cut = false;  ///< the neighborhood ends at d^2 = sigma^2
  SomStart start = SomStart::kPrincipalPlane;
  std::uint64_t seed = 1;
  bool stop_early = true;  ///< end when sigma stays the same and no row changes its unit
};

/// One epoch, reported when its rows have been matched. Errors are those of the units before they
/// move.
struct SomEpoch {
  std::uint32_t epoch = 0;   ///< from 1
  std::uint32_t epochs = 0;  ///< planned
  double sigma = 0;
  SomQuality quality;
  std::uint64_t moved = 0;  ///< rows whose best unit changed since the last epoch
};

/// Called after each epoch in the thread that trains; false cancels.
using SomProgress = std::function<bool(const SomEpoch&)>;

struct SomResult {
  SomCodebook codebook;
  std::vector<SomMatch> matches;  ///< of all rows, partition after partition, under `codebook`
  SomQuality quality;             ///< of those
  std::vector<SomEpoch> epochs;   ///< those that were trained
};

/// Trains a batch map (Kohonen, Self-Organizing Maps, 3rd edition, section 3.6). `warm` is a
/// codebook to start from instead of plan.start; null: none. The same plan, rows and start give the
/// same bits, however many threads, partitions, twins and processes there are; only
/// SomQuality::quantization_error, a mean, may differ in its rounding.
/// With other processes, all call this with the same plan and the same `warm`, which must not be
/// null then. Each gets the same codebook, quality and epochs, the matches of its own rows, and the
/// same answers from `progress`.
/// @throws Error kInvalidArgument (no rows, a value that is not finite, partitions of different
/// columns, a schedule or lattice out of range, a `warm` of another shape, or none where
/// there are other processes); kCanceled if `progress` returned false; whatever the twins or the
/// exchange throw. Nothing but the twins has changed then.
SomResult train_som(const SomTrainers& trainers, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress = {}, const SomCodebook* warm = nullptr);

/// Trains a map on one twin, without other processes.
SomResult train_som(SomTwin& twin, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress = {}, const SomCodebook* warm = nullptr);

}  // namespace kindred
