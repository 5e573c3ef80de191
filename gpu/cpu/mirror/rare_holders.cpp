#include "gpu/cpu/mirror/rare_holders.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "gpu/cpu/mirror/making.h"

// Floor: 4 bytes an entry from memory, twice. The first time, a counter of a byte for each term is
// raised. The second time, the entries of rare terms, which are few, are picked without a branch.

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsCounted = 4096;  // until it is asked whether to stop
constexpr std::uint8_t kMany = 255;           // where a counter stays
constexpr std::uint64_t kPickedFrom = 1024;   // entries at once

/// Calls visit(MirrorRows::RowRange) for the rows at the first `places`.
template <typename Visit>
void for_each_piece(const MirrorRows& mirror, std::uint32_t places, const std::atomic<bool>& stop,
                    Visit&& visit) {
  for (std::uint32_t begin = 0; begin < places; begin += std::min(kRowsCounted, places - begin)) {
    if (stop.load(std::memory_order_relaxed)) throw MakingStopped{};
    mirror.for_each_range(begin, begin + std::min(kRowsCounted, places - begin), visit);
  }
}

void count_rows(const MirrorRows::RowRange& range, std::vector<std::uint8_t>& counts) {
  for (std::uint64_t i = range.row_begin[0]; i < range.row_begin[range.rows]; ++i) {
    std::uint8_t& count = counts[range.column[i]];
    count = static_cast<std::uint8_t>(count + (count < kMany ? 1 : 0));
  }
}

}  // namespace

RareHolders::RareHolders(const MirrorRows& mirror, const std::atomic<bool>& stop)
    : places_(std::min(mirror.places(), kPlaceMask + 1)),
      is_rare_(mirror.columns()),
      begin_(is_rare_.size() + 1) {
  std::vector<std::uint8_t> counts(is_rare_.size());
  for_each_piece(mirror, places_, stop,
                 [&](const MirrorRows::RowRange& range) { count_rows(range, counts); });
  choose_terms(counts);
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for_each_piece(mirror, places_, stop,
                 [&](const MirrorRows::RowRange& range) { list(range, next); });
}

/// Makes room for the lists.
void RareHolders::choose_terms(const std::vector<std::uint8_t>& counts) {
  constexpr std::uint64_t kMostEntries = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t entries = 0;
  for (std::size_t t = 0; t < is_rare_.size(); ++t) {
    is_rare_[t] = counts[t] <= kMostRows && entries + counts[t] <= kMostEntries ? 1 : 0;
    if (is_rare_[t] != 0) entries += counts[t];
    begin_[t + 1] = static_cast<std::uint32_t>(entries);
  }
  holder_ = AlignedArray<std::uint32_t>::for_overwrite(entries);
}

/// Writes the rows of a range to the lists, each at the next place of its term in `next`.
void RareHolders::list(const MirrorRows::RowRange& range, std::vector<std::uint32_t>& next) {
  std::array<std::uint64_t, kPickedFrom> picked;
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
}

std::size_t RareHolders::bytes() const {
  return is_rare_.capacity() + begin_.capacity() * sizeof(std::uint32_t) +
         holder_.size() * sizeof(std::uint32_t);
}

}  // namespace kindred::cpu
