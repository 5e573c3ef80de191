#include "gpu/knn/shard_rows.h"

#include <algorithm>
#include <iterator>

namespace kindred {

void ShardRows::append(std::uint32_t number, std::uint32_t count) {
  if (count == 0) return;
  if (!runs_.empty() && runs_.back().number + runs_.back().count == number)
    runs_.back().count += count;
  else
    runs_.push_back({number, size_, count});
  size_ += count;
}

/// The search has no branch that depends on `own`: neighbors are anywhere.
std::uint32_t ShardRows::find_number(std::uint32_t own) const {
  const Run* run = runs_.data();
  for (std::size_t left = runs_.size(); left > 1;) {
    const std::size_t half = left / 2;
    run += run[half].own <= own ? half : 0;
    left -= half;
  }
  return run->number + (own - run->own);
}

std::uint32_t ShardRows::find(std::uint32_t number) const {
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), number,
                       [](std::uint32_t wanted, const Run& run) { return wanted < run.number; });
  if (after == runs_.begin()) return kNone;
  const Run& run = *std::prev(after);
  return number - run.number < run.count ? run.own + (number - run.number) : kNone;
}

RowSet ShardRows::part_of(const RowSet& rows) const {
  RowSet part;
  for (const Run& run : runs_) part.append(rows, run.number, std::size_t{run.number} + run.count);
  return part;
}

}  // namespace kindred
