#include "gpu/som/train.h"

#include <memory>
#include <string>
#include <vector>

#include "config/error.h"

namespace kindred {
namespace {

void check(Partitions partitions, std::size_t threads) {
  if (count_rows(partitions) == 0)
    throw Error(Errc::kInvalidArgument, "there is nothing to make a map of: expected documents");
  for (const SomRows& partition : partitions) {
    if (columns_of(partition) != columns_of(partitions.front()) ||
        partition.index() != partitions.front().index())
      throw Error(Errc::kInvalidArgument, "the partitions of a map differ in columns or in kind");
    check_rows(partition, threads);
  }
}

class Training {
 public:
  Training(SomTwin& twin, Partitions partitions, const SomPlan& plan)
      : twin_(twin),
        plan_(plan),
        schedule_(resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns)) {
    for (const SomRows& partition : partitions) parts_.push_back(twin.hold(partition));
  }

  /// Matches the rows, reports the epoch and moves the units. False if training is done.
  bool run_epoch(std::uint32_t epoch, const SomProgress& progress, SomResult& result) {
    SomTally tally;
    for (const auto& part : parts_) tally += part->match_and_accumulate(plan_.neighbors);
    const double sigma = sigma_at(schedule_, epoch);
    const SomEpoch told = {epoch + 1, schedule_.epochs, sigma, quality_of(tally), tally.moved};
    result.epochs.push_back(told);
    if (progress && !progress(told))
      throw Error(Errc::kCanceled,
                  "training was canceled after epoch " + std::to_string(told.epoch));
    const bool rests = epoch > 0 && sigma == sigma_at(schedule_, epoch - 1);
    if (plan_.stop_early && rests && told.moved == 0) return false;
    twin_.update({sigma, plan_.cut});
    return true;
  }

  SomResult run(const SomProgress& progress) {
    SomResult result;
    for (std::uint32_t epoch = 0; epoch < schedule_.epochs; ++epoch)
      if (!run_epoch(epoch, progress, result)) break;
    SomTally tally;
    for (const auto& part : parts_) {
      tally += part->match(plan_.neighbors);
      std::vector<SomMatch> matches = part->matches();
      if (parts_.size() == 1) {
        result.matches = std::move(matches);
      } else {
        result.matches.insert(result.matches.end(), matches.begin(), matches.end());
      }
    }
    result.quality = quality_of(tally);
    result.codebook = twin_.codebook();
    return result;
  }

 private:
  SomTwin& twin_;
  const SomPlan& plan_;
  const SomSchedule schedule_;
  std::vector<std::unique_ptr<SomPart>> parts_;
};

}  // namespace

SomResult train_som(SomTwin& twin, Partitions partitions, const SomPlan& plan,
                    const SomProgress& progress, const SomCodebook* warm) {
  check_lattice(plan.lattice);
  check(partitions, twin.threads());
  Training training(twin, partitions, plan);
  if (warm != nullptr) {
    twin.load(*warm);
  } else {
    twin.load(start_codebook(plan.lattice, partitions, plan.start, plan.seed));
  }
  return training.run(progress);
}

}  // namespace kindred
