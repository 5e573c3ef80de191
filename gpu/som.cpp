#include "gpu/som.h"

#include <string>

#include "config/error.h"

namespace kindred {
namespace {

using Partitions = std::span<const SomRows>;

std::size_t count_rows(Partitions partitions) {
  std::size_t rows = 0;
  for (const SomRows& partition : partitions) rows += rows_of(partition);
  return rows;
}

void check(Partitions partitions) {
  if (count_rows(partitions) == 0)
    throw Error(Errc::kInvalidArgument, "there is nothing to make a map of: expected documents");
  for (const SomRows& partition : partitions) {
    if (columns_of(partition) != columns_of(partitions.front()) ||
        partition.index() != partitions.front().index())
      throw Error(Errc::kInvalidArgument, "the partitions of a map differ in columns or in kind");
    check_rows(partition);
  }
}

/// Runs work(partition, its matches) over all partitions.
template <typename Work>
void for_partitions(Partitions partitions, std::vector<SomMatch>& matches, Work&& work) {
  std::size_t begin = 0;
  for (const SomRows& partition : partitions) {
    const std::size_t rows = rows_of(partition);
    work(partition, std::span<SomMatch>(matches).subspan(begin, rows));
    begin += rows;
  }
}

std::uint64_t count_moved(const std::vector<SomMatch>& before, const std::vector<SomMatch>& now) {
  std::uint64_t moved = 0;
  for (std::size_t row = 0; row < now.size(); ++row)
    if (before[row].unit != now[row].unit) ++moved;
  return moved;
}

class Training {
 public:
  Training(SomTwin& twin, Partitions partitions, const SomPlan& plan)
      : twin_(twin),
        partitions_(partitions),
        plan_(plan),
        schedule_(resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns)),
        before_(count_rows(partitions)),
        now_(before_.size()) {}

  void match() {
    for_partitions(partitions_, now_, [&](const SomRows& partition, std::span<SomMatch> matches) {
      twin_.match(partition, matches);
    });
  }

  /// Matches, reports and moves the units; false if there is nothing more to move.
  bool run_epoch(std::uint32_t epoch, const SomProgress& progress, SomResult& result) {
    now_.swap(before_);
    match();
    const double sigma = sigma_at(schedule_, epoch);
    const SomEpoch told = {epoch + 1, schedule_.epochs, sigma,
                           measure(plan_.lattice, plan_.neighbors, now_),
                           epoch == 0 ? now_.size() : count_moved(before_, now_)};
    result.epochs.push_back(told);
    if (progress && !progress(told))
      throw Error(Errc::kCanceled,
                  "training was canceled after epoch " + std::to_string(told.epoch));
    const bool rests = epoch > 0 && sigma == sigma_at(schedule_, epoch - 1);
    if (plan_.stop_early && rests && told.moved == 0) return false;
    for_partitions(partitions_, now_, [&](const SomRows& partition, std::span<SomMatch> matches) {
      twin_.accumulate(partition, matches);
    });
    twin_.update({sigma, plan_.cut});
    return true;
  }

  SomResult run(const SomProgress& progress) {
    SomResult result;
    for (std::uint32_t epoch = 0; epoch < schedule_.epochs; ++epoch)
      if (!run_epoch(epoch, progress, result)) break;
    match();
    result.quality = measure(plan_.lattice, plan_.neighbors, now_);
    result.matches = std::move(now_);
    result.codebook = twin_.codebook();
    return result;
  }

 private:
  SomTwin& twin_;
  const Partitions partitions_;
  const SomPlan& plan_;
  const SomSchedule schedule_;
  std::vector<SomMatch> before_;
  std::vector<SomMatch> now_;
};

}  // namespace

SomResult train_som(SomTwin& twin, std::span<const SomRows> partitions, const SomPlan& plan,
                    const SomProgress& progress, const SomCodebook* warm) {
  check_lattice(plan.lattice);
  check(partitions);
  Training training(twin, partitions, plan);
  twin.load(warm != nullptr ? *warm
                            : start_codebook(plan.lattice, partitions, plan.start, plan.seed));
  return training.run(progress);
}

}  // namespace kindred
