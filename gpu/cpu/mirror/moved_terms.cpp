#include "gpu/cpu/mirror/moved_terms.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "gpu/workers.h"

// Floor of going through all rows: 4 bytes an entry from memory, and a load from a table of a bit
// for each term, which fits the first-level cache (a table of bytes takes twice as long). Hardly
// any entry is of a term that moved, so eight of them are asked about together.

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsAtOnce = 8192;  // one item of parallel work
constexpr std::size_t kEntriesAtOnce = 8;

bool by_lists(std::span<const MovedTerm> terms, const HolderLists& lists, std::size_t most,
              std::vector<MovedRow>& rows) {
  std::vector<std::uint32_t> places;
  for (const MovedTerm& moved : terms) {
    places.clear();
    if (!lists.find(moved.term, most - rows.size(), places)) return false;
    if (places.size() > most - rows.size()) return false;
    for (const std::uint32_t place : places) rows.push_back({place, moved.added});
  }
  return true;
}

/// Goes through the rows of a mirror.
class RowScan {
 public:
  RowScan(std::span<const MovedTerm> terms, const MirrorRows& mirror)
      : terms_(terms), mirror_(mirror), moved_(mirror.columns() / kBits + std::size_t{1}) {
    for (const MovedTerm& moved : terms)
      moved_[moved.term / kBits] |= std::uint32_t{1} << moved.term % kBits;
  }

  /// Appends the rows of [begin, end).
  void find(std::uint32_t begin, std::uint32_t end, std::vector<MovedRow>& rows) const {
    mirror_.for_each(begin, end, [&](std::uint32_t place, const MirrorRows::RowEntries& row) {
      std::size_t i = 0;
      for (; i + kEntriesAtOnce <= row.size; i += kEntriesAtOnce) {
        std::uint32_t any = 0;
        for (std::size_t j = i; j < i + kEntriesAtOnce; ++j) any |= moved_bit(row.column[j]);
        if ((any & 1) != 0) take(place, row, i, i + kEntriesAtOnce, rows);
      }
      take(place, row, i, row.size, rows);
    });
  }

 private:
  static constexpr std::uint32_t kBits = 32;

  /// The lowest bit says whether a term moved.
  std::uint32_t moved_bit(std::uint32_t term) const { return moved_[term / kBits] >> term % kBits; }

  void take(std::uint32_t place, const MirrorRows::RowEntries& row, std::size_t begin,
            std::size_t end, std::vector<MovedRow>& rows) const {
    for (std::size_t i = begin; i < end; ++i) {
      if ((moved_bit(row.column[i]) & 1) == 0) continue;
      const auto moved = std::ranges::lower_bound(terms_, row.column[i], {}, &MovedTerm::term);
      rows.push_back({place, moved->added});
    }
  }

  const std::span<const MovedTerm> terms_;
  const MirrorRows& mirror_;
  std::vector<std::uint32_t> moved_;  ///< a bit for each column
};

bool by_scan(std::span<const MovedTerm> terms, const MirrorRows& mirror, std::size_t most,
             std::size_t threads, std::vector<MovedRow>& rows) {
  const RowScan scan(terms, mirror);
  std::mutex mutex;
  std::atomic<bool> too_many = false;
  for_each_chunk(mirror.places(), kRowsAtOnce, threads,
                 [&](std::uint32_t begin, std::uint32_t end) {
                   if (too_many) return;
                   std::vector<MovedRow> own;
                   scan.find(begin, end, own);
                   const std::lock_guard lock(mutex);
                   if (own.size() > most - rows.size()) {
                     too_many = true;
                     return;
                   }
                   rows.insert(rows.end(), own.begin(), own.end());
                 });
  return !too_many;
}

}  // namespace

std::optional<std::vector<MovedRow>> rows_of(std::span<const MovedTerm> terms,
                                             const MirrorRows& mirror, const HolderLists& lists,
                                             std::size_t most, std::size_t threads) {
  std::vector<MovedRow> rows;
  if (terms.empty()) return rows;
  const bool has_lists = lists.find && terms.size() * lists.entries_per_list <= mirror.nonzeros();
  if (has_lists && by_lists(terms, lists, most, rows)) return rows;
  rows.clear();
  if (!by_scan(terms, mirror, most, threads, rows)) return std::nullopt;
  return rows;
}

}  // namespace kindred::cpu
