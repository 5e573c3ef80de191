#include "gpu/som/train.h"

#include <string>
#include <vector>

#include "config/error.h"
#include "gpu/som/crew.h"

namespace kindred {
namespace {

void check(Partitions partitions, std::size_t threads) {
  for (const SomRows& partition : partitions) {
    if (columns_of(partition) != columns_of(partitions.front()) ||
        partition.index() != partitions.front().index())
      throw Error(Errc::kInvalidArgument, "the partitions of a map differ in columns or in kind");
    check_rows(partition, threads);
  }
}

class Training {
 public:
  Training(SomCrew& crew, const SomPlan& plan)
      : crew_(crew),
        plan_(plan),
        schedule_(resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns)) {}

  /// Matches the rows, reports the epoch and moves the units. False if training is done.
  bool run_epoch(std::uint32_t epoch, const SomProgress& progress, SomResult& result) {
    const SomTally tally = crew_.match(plan_.neighbors);
    const double sigma = sigma_at(schedule_, epoch);
    const SomEpoch told = {epoch + 1, schedule_.epochs, sigma, quality_of(tally), tally.moved};
    result.epochs.push_back(told);
    if (progress && !progress(told))
      throw Error(Errc::kCanceled,
                  "training was canceled after epoch " + std::to_string(told.epoch));
    const bool rests = epoch > 0 && sigma == sigma_at(schedule_, epoch - 1);
    if (plan_.stop_early && rests && told.moved == 0) return false;
    crew_.update({sigma, plan_.cut});
    return true;
  }

  SomResult run(const SomProgress& progress) {
    SomResult result;
    for (std::uint32_t epoch = 0; epoch < schedule_.epochs; ++epoch)
      if (!run_epoch(epoch, progress, result)) break;
    result.quality = quality_of(crew_.match(plan_.neighbors));
    result.matches = crew_.matches();
    result.codebook = crew_.codebook();
    return result;
  }

 private:
  SomCrew& crew_;
  const SomPlan& plan_;
  const SomSchedule schedule_;
};

}  // namespace

SomResult train_som(const SomTrainers& trainers, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress, const SomCodebook* warm) {
  check_lattice(plan.lattice);
  if (trainers.others == nullptr && count_rows(partitions) == 0)
    throw Error(Errc::kInvalidArgument, "there is nothing to make a map of: expected documents");
  check(partitions, trainers.twins.front()->threads());
  if (trainers.others != nullptr && warm == nullptr)
    throw Error(Errc::kInvalidArgument,
                "several processes that train one map need a codebook to start from");
  SomCrew crew(trainers, partitions);
  Training training(crew, plan);
  if (warm != nullptr) {
    crew.load(*warm);
  } else {
    crew.load(start_codebook(plan.lattice, partitions, plan.start, plan.seed));
  }
  return training.run(progress);
}

SomResult train_som(SomTwin& twin, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress, const SomCodebook* warm) {
  SomTwin* const twins[] = {&twin};
  return train_som(SomTrainers{twins}, partitions, plan, progress, warm);
}

}  // namespace kindred
