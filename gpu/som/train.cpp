#include "gpu/som/train.h"

#include <string>

#include "config/error.h"

namespace kindred {
namespace {

void check(Partitions partitions, std::size_t threads) {
  for (const SomRows& partition : partitions) {
    if (partition.columns != partitions.front().columns)
      throw Error(Errc::kInvalidArgument, "the partitions of a map differ in columns");
    check_rows(partition, threads);
  }
}

}  // namespace

SomResult train_som(const SomTrainers& trainers, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress, const SomCodebook* warm) {
  // Faults are found before anything is given to the twins, so that they stay as they are.
  check_lattice(plan.lattice);
  if (trainers.others == nullptr && count_rows(partitions) == 0)
    throw Error(Errc::kInvalidArgument, "there is nothing to make a map of: expected documents");
  check(partitions, trainers.twins.front()->threads());

  // A process sees its own rows only, and a start from these would differ from that of the others.
  if (trainers.others != nullptr && warm == nullptr)
    throw Error(Errc::kInvalidArgument,
                "several processes that train one map need a codebook to start from");

  // The schedule is the same for all processes, as it depends on the plan alone.
  SomReplicas replicas(trainers, partitions);
  const SomSchedule schedule = resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns);

  if (warm != nullptr)
    replicas.load(*warm);
  else
    replicas.load(start_codebook(plan.lattice, partitions, plan.start, plan.seed));

  SomResult result;
  for (std::uint32_t epoch = 0; epoch < schedule.epochs; ++epoch) {
    // Rows are matched before the units move. So an epoch reports the errors of the map that the
    // one before it left, and there is one match more than there are updates.
    const SomTally tally = replicas.match();
    const double sigma = sigma_at(schedule, epoch);
    result.epochs.push_back({epoch + 1, schedule.epochs, sigma, quality_of(tally), tally.moved});

    if (progress && !progress(result.epochs.back()))
      throw Error(Errc::kCanceled,
                  "training was canceled after epoch " + std::to_string(epoch + 1));

    // As long as sigma falls, units move even if no row changes its unit.
    const bool rests = epoch > 0 && sigma == sigma_at(schedule, epoch - 1);
    if (plan.stop_early && rests && tally.moved == 0) break;

    replicas.update({sigma, plan.cut});
  }

  // The last update has moved the units, so the result is measured once more.
  result.quality = quality_of(replicas.match());
  result.matches = replicas.matches();
  result.codebook = replicas.codebook();
  return result;
}

SomResult train_som(SomTwin& twin, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress, const SomCodebook* warm) {
  SomTwin* const twins[] = {&twin};
  return train_som(SomTrainers{twins}, partitions, plan, progress, warm);
}

}  // namespace kindred
