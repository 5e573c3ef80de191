#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/som/exchange.h"
#include "gpu/som/quality.h"
#include "gpu/som/start.h"
#include "gpu/som/twin.h"

namespace kindred {

/// How the radius of the neighborhood shrinks over the epochs t = 0, 1, ...
struct SomSchedule {
  enum class Fall { kExponential, kLinear };

  double sigma_start = 0;  ///< > 0; 0: half the shorter side of the map, at least 1
  double sigma_end = 0.7;  ///< > 0, at most sigma_start: reached after `fall_epochs` and kept then
  Fall fall = Fall::kExponential;
  std::uint32_t epochs = 20;      ///< at least 1
  std::uint32_t fall_epochs = 0;  ///< 0: all but the last
  /// If > 0, sigma is sigma_start exp(-t / tau), but never below sigma_end; `fall` and
  /// `fall_epochs` are then ignored.
  double tau = 0;
};

/// sigma in epoch t. Exponential: sigma_start (sigma_end / sigma_start)^(t / fall_epochs).
double sigma_at(const SomSchedule& schedule, std::uint32_t epoch);

/// The schedule with its zeros replaced by the defaults for a map of this size.
/// @throws Error kInvalidArgument naming the value that is out of range.
SomSchedule resolved(SomSchedule schedule, std::uint32_t rows, std::uint32_t columns);

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
