#include "gpu/cpu/mirror/rare_holders.h"

#include <algorithm>
#include <array>
#include <limits>

#include "gpu/workers.h"

// Floor: 4 bytes an entry from memory, twice. The first time, a counter of a byte for each term is
// raised. The second time, the entries of rare terms, which are few, are picked without a branch.

namespace kindred::cpu {
namespace {

constexpr std::size_t kMostParts = 4;        // each has its own counters
constexpr std::uint8_t kMany = 255;          // where a counter stays
constexpr std::uint64_t kPickedFrom = 1024;  // entries at once

/// How many rows of a range hold each term, up to kMany.
std::vector<std::uint8_t> count_rows(const MirrorRows& mirror, std::uint32_t begin,
                                     std::uint32_t end) {
  std::vector<std::uint8_t> counts(mirror.columns());
  mirror.for_each_range(begin, end, [&](const MirrorRows::RowRange& range) {
    for (std::uint64_t i = range.row_begin[0]; i < range.row_begin[range.rows]; ++i) {
      std::uint8_t& count = counts[range.column[i]];
      count = static_cast<std::uint8_t>(count + (count < kMany ? 1 : 0));
    }
  });
  return counts;
}

}  // namespace

RareHolders::RareHolders(const MirrorRows& mirror, std::size_t threads)
    : places_(std::min(mirror.places(), kPlaceMask + 1)),
      is_rare_(mirror.columns()),
      begin_(is_rare_.size() + 1) {
  const std::size_t parts = std::min(number_of_threads(threads), kMostParts);
  const auto chunk = static_cast<std::uint32_t>(places_ / parts + 1);
  Counts counts(number_of_chunks(places_, chunk));
  for_each_chunk(places_, chunk, threads, [&](std::uint32_t begin, std::uint32_t end) {
    counts[begin / chunk] = count_rows(mirror, begin, end);
  });
  choose_terms(counts);
  std::vector<std::vector<std::uint32_t>> next(counts.size());  // of each part, in the lists
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for (std::size_t part = 0; part < next.size(); ++part) {
    next[part] = at;
    for (std::size_t t = 0; t < at.size(); ++t) at[t] += counts[part][t];
  }
  for_each_chunk(places_, chunk, threads, [&](std::uint32_t begin, std::uint32_t end) {
    list(mirror, begin, end, next[begin / chunk]);
  });
}

/// Makes room for the lists.
void RareHolders::choose_terms(const Counts& counts) {
  constexpr std::uint64_t kMostEntries = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t entries = 0;
  for (std::size_t t = 0; t < is_rare_.size(); ++t) {
    std::uint32_t rows = 0;
    for (const auto& part : counts) rows += part[t];
    is_rare_[t] = rows <= kMostRows && entries + rows <= kMostEntries ? 1 : 0;
    if (is_rare_[t] != 0) entries += rows;
    begin_[t + 1] = static_cast<std::uint32_t>(entries);
  }
  holder_ = AlignedArray<std::uint32_t>::for_overwrite(entries);
}

/// Writes the rows of a range to the lists, each at the next place of its own in `next`.
void RareHolders::list(const MirrorRows& mirror, std::uint32_t begin, std::uint32_t end,
                       std::span<std::uint32_t> next) {
  std::array<std::uint64_t, kPickedFrom> picked;
  mirror.for_each_range(begin, end, [&](const MirrorRows::RowRange& range) {
    const std::uint64_t* row_end = range.row_begin + 1;
    const std::uint64_t last = range.row_begin[range.rows];
    for (std::uint64_t i = range.row_begin[0]; i < last;) {
      std::size_t n = 0;
      for (const std::uint64_t stop = std::min(last, i + kPickedFrom); i < stop; ++i) {
        picked[n] = i;
        n += is_rare_[range.column[i]];
      }
      for (const std::uint64_t entry : std::span(picked).first(n)) {
        while (*row_end <= entry) ++row_end;
        const auto row = static_cast<std::uint32_t>(row_end - range.row_begin - 1);
        const std::uint32_t count = range.count[entry] <= kLargestCount ? range.count[entry] : 0;
        holder_.data()[next[range.column[entry]]++] = (range.first + row) | count << kPlaceBits;
      }
    }
  });
}

std::size_t RareHolders::bytes() const {
  return is_rare_.capacity() + begin_.capacity() * sizeof(std::uint32_t) +
         holder_.size() * sizeof(std::uint32_t);
}

}  // namespace kindred::cpu
