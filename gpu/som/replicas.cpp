#include "gpu/som/replicas.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "gpu/workers.h"

namespace kindred {
namespace {

/// Distances are reported, and decide nothing. Between processes they are integers of this grid.
constexpr double kDistanceScale = 0x1p20;

}  // namespace

SomReplicas::SomReplicas(const SomTrainers& trainers, Partitions partitions)
    : trainers_(trainers), columns_(partitions.front().columns) {
  // Each twin gets an equal share of the rows of each partition; none gets an empty part.
  const std::size_t twins = trainers_.twins.size();
  for (const SomRows& partition : partitions) {
    const std::uint64_t rows = partition.rows;
    for (std::size_t t = 0; t < twins; ++t) {
      const auto begin = static_cast<std::uint32_t>(rows * t / twins);
      const auto end = static_cast<std::uint32_t>(rows * (t + 1) / twins);
      if (begin == end) continue;
      parts_.push_back({t, trainers_.twins[t]->hold(partition_of(partition, begin, end))});
    }
  }

  // All parts need one grid, so the bound is that of the largest value anywhere, in other
  // processes, too.
  std::int64_t exponent = SomBound::kLeast;
  for (const HeldPart& held : parts_)
    exponent = std::max<std::int64_t>(exponent, held.part->bound().exponent);
  all_reduce({&exponent, 1}, SomReduction::kLargest);
  bound_.exponent = static_cast<int>(exponent);
}

/// Calls work(number of a part) for all parts, with a thread for each twin.
template <typename Work>
void SomReplicas::each_part(Work&& work) {
  const std::size_t twins = trainers_.twins.size();
  for_each_item(twins, twins, [&](std::size_t twin) {
    for (std::size_t p = 0; p < parts_.size(); ++p)
      if (parts_[p].twin == twin) work(p);
  });
}

void SomReplicas::all_reduce(std::span<std::int64_t> values, SomReduction reduction) {
  if (trainers_.others != nullptr) trainers_.others->all_reduce(values, reduction);
}

void SomReplicas::load(const SomCodebook& codebook) {
  for (SomTwin* twin : trainers_.twins) twin->load(codebook);
}

SomTally SomReplicas::of_all(SomTally tally) {
  if (trainers_.others == nullptr) return tally;

  // Distances become integers, as the others are: their sum then does not depend on the order of
  // processes.
  const double scale = std::ldexp(kDistanceScale, -bound_.exponent);
  std::int64_t values[] = {
      static_cast<std::int64_t>(tally.rows), static_cast<std::int64_t>(tally.moved),
      static_cast<std::int64_t>(tally.torn), std::llrint(tally.distance * scale)};

  all_reduce(values, SomReduction::kSum);
  return {static_cast<std::uint64_t>(values[0]), static_cast<std::uint64_t>(values[1]),
          static_cast<std::uint64_t>(values[2]), static_cast<double>(values[3]) / scale};
}

SomTally SomReplicas::match() {
  std::vector<SomTally> tallies(parts_.size());
  each_part([&](std::size_t p) {
    // Threads write to the tallies of different parts.
    tallies[p] = parts_[p].part->match();
  });

  // Parts are added in the order of their rows, whichever ended first: distances are doubles.
  SomTally tally;
  for (const SomTally& of_part : tallies) tally += of_part;
  return of_all(tally);
}

void SomReplicas::update(const SomNeighborhood& neighborhood) {
  // How many rows each unit wins anywhere decides the grid, which all twins must share before they
  // add anything up.
  std::vector<std::int64_t> hits(trainers_.twins.front()->units());
  for (const HeldPart& held : parts_) held.part->count_hits(hits);
  all_reduce(hits, SomReduction::kSum);
  const SomGrid grid(bound_, std::move(hits));

  for (SomTwin* twin : trainers_.twins) twin->begin_sums(grid);
  each_part([&](std::size_t p) {
    parts_[p].part->accumulate();
  });

  // Sums of all processes come first, then each twin moves the units by them.
  if (trainers_.others != nullptr) add_up();
  move_units(neighborhood);
}

/// Calls work(twin, number) for all twins, with a thread for each.
template <typename Work>
void SomReplicas::each_twin(Work&& work) {
  const std::size_t twins = trainers_.twins.size();
  for_each_item(twins, twins, [&](std::size_t t) {
    work(*trainers_.twins[t], t);
  });
}

/// Each twin moves the units in some of the columns, by the sums of all, and gets the others from
/// those that moved them.
void SomReplicas::move_units(const SomNeighborhood& neighborhood) {
  const std::size_t twins = trainers_.twins.size();
  const auto first_of = [&](std::size_t t) {
    return static_cast<std::uint32_t>(std::uint64_t{columns_} * t / twins);
  };
  // Calls work(another twin, number) for each, so that no two twins begin with the same one.
  const auto each_other = [&](std::size_t own, auto&& work) {
    for (std::size_t step = 1; step < twins; ++step)
      work(*trainers_.twins[(own + step) % twins], (own + step) % twins);
  };

  // Without other processes, each twin still has the sums of its own rows: it adds those of the
  // others, of the columns that it moves. With them, add_up() gave the sums of all to every twin.
  if (trainers_.others == nullptr)
    each_twin([&](SomTwin& twin, std::size_t t) {
      each_other(t, [&](const SomTwin& other, std::size_t) {
        if (first_of(t) < first_of(t + 1)) twin.add_sums(other, first_of(t), first_of(t + 1));
      });
    });

  each_twin([&](SomTwin& twin, std::size_t t) {
    twin.update(neighborhood, first_of(t), first_of(t + 1));
  });

  // Every twin needs the whole codebook for the next match. These loops are apart, since a twin may
  // be read only when it has moved its units.
  each_twin([&](SomTwin& twin, std::size_t t) {
    each_other(t, [&](const SomTwin& other, std::size_t o) {
      if (first_of(o) < first_of(o + 1)) twin.copy_weights(other, first_of(o), first_of(o + 1));
    });
  });

  each_twin([&](SomTwin& twin, std::size_t) {
    // No other twin reads its sums any more.
    twin.end_update();
  });
}

/// Gives every twin the sums of all processes.
void SomReplicas::add_up() {
  // The exchange asks for columns as it sends them: it reads the sum of all twins here, and writes
  // back what all processes have.
  std::vector<std::int64_t> other;

  trainers_.others->add_up({trainers_.twins.front()->units(), columns_,
                            [&](std::uint32_t first, std::span<std::int64_t> sums) {
                              trainers_.twins.front()->read_sums(first, sums);
                              other.resize(sums.size());
                              for (SomTwin* twin : trainers_.twins.subspan(1)) {
                                twin->read_sums(first, other);
                                std::transform(other.begin(), other.end(), sums.begin(),
                                               sums.begin(), std::plus<>());
                              }
                            },
                            [&](std::uint32_t first, std::span<const std::int64_t> sums) {
                              for (SomTwin* twin : trainers_.twins) twin->write_sums(first, sums);
                            }});
}

std::vector<SomMatch> SomReplicas::matches() const {
  if (parts_.size() == 1) return parts_.front().part->matches();

  // The parts are in the order of their rows.
  std::vector<SomMatch> matches;
  for (const HeldPart& held : parts_) {
    const std::vector<SomMatch> found = held.part->matches();
    matches.insert(matches.end(), found.begin(), found.end());
  }
  return matches;
}

}  // namespace kindred
