#include "gpu/som/train.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "config/error.h"
#include "config/shown.h"

namespace kindred {
namespace {

void require_positive(double value, const char* name) {
  if (value > 0 && std::isfinite(value)) return;
  throw Error(Errc::kInvalidArgument, std::string("the schedule's ") + name + " is " +
                                          number_text(value) + "; expected a number above 0");
}

void check(Partitions partitions, std::size_t threads) {
  for (const SomRows& partition : partitions) {
    if (partition.columns != partitions.front().columns)
      throw Error(Errc::kInvalidArgument, "the partitions of a map differ in columns");
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
    const SomTally tally = crew_.match();
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
    result.quality = quality_of(crew_.match());
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

double sigma_at(const SomSchedule& schedule, std::uint32_t epoch) {
  if (schedule.tau > 0)
    return std::max(schedule.sigma_end, schedule.sigma_start * std::exp(-(epoch / schedule.tau)));
  if (epoch >= schedule.fall_epochs) return schedule.sigma_end;
  const double part = static_cast<double>(epoch) / schedule.fall_epochs;
  if (schedule.fall == SomSchedule::Fall::kLinear)
    return schedule.sigma_start + (schedule.sigma_end - schedule.sigma_start) * part;
  return schedule.sigma_start * std::pow(schedule.sigma_end / schedule.sigma_start, part);
}

SomSchedule resolved(SomSchedule schedule, std::uint32_t rows, std::uint32_t columns) {
  if (schedule.epochs == 0)
    throw Error(Errc::kInvalidArgument, "a schedule of 0 epochs; expected at least 1");
  require_positive(schedule.sigma_end, "sigma_end");
  if (schedule.sigma_start == 0)
    schedule.sigma_start = std::max({1.0, schedule.sigma_end, std::min(rows, columns) / 2.0});
  require_positive(schedule.sigma_start, "sigma_start");
  if (schedule.sigma_end > schedule.sigma_start)
    throw Error(Errc::kInvalidArgument,
                "the schedule's sigma_end is " + number_text(schedule.sigma_end) +
                    "; expected at most sigma_start, " + number_text(schedule.sigma_start));
  if (!(schedule.tau >= 0) || !std::isfinite(schedule.tau)) require_positive(schedule.tau, "tau");
  if (schedule.fall_epochs == 0) schedule.fall_epochs = std::max(1u, schedule.epochs - 1);
  return schedule;
}

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
