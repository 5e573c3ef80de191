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
constexpr std::uint64_t kEntriesAtOnce = 8;
constexpr std::size_t kFewLists = 8;  // always worth finding

bool by_lists(std::span<const MovedTerm> terms, const MirrorRows& mirror,
              std::span<const double> tf, const HolderLists& lists, std::size_t most,
              std::vector<MovedRow>& rows) {
  std::vector<TermHolder> holders;
  for (const MovedTerm& moved : terms) {
    holders.clear();
    if (!lists.find(moved.term, most - rows.size(), holders)) return false;
    if (holders.size() > most - rows.size()) return false;
    for (const auto& [place, count] : holders) {
      if (mirror.dead(place)) continue;
      rows.push_back({place, count == 0 ? moved.most : tf[count] * tf[count] * moved.square});
    }
  }
  return true;
}

/// Goes through the rows of a mirror.
class RowScan {
 public:
  RowScan(std::span<const MovedTerm> terms, const MirrorRows& mirror, std::span<const double> tf)
      : terms_(terms), mirror_(mirror), tf_(tf), moved_(mirror.columns() / kBits + std::size_t{1}) {
    for (const MovedTerm& moved : terms)
      moved_[moved.term / kBits] |= std::uint32_t{1} << moved.term % kBits;
  }

  /// Appends those of a range.
  void find(const MirrorRows::RowRange& range, std::vector<MovedRow>& rows) const {
    const std::uint64_t* row_end = range.row_begin + 1;
    const auto check = [&](std::uint64_t i) {
      if ((moved_bit(range.column[i]) & 1) == 0) return;
      while (*row_end <= i) ++row_end;
      const auto row = static_cast<std::uint32_t>(row_end - range.row_begin - 1);
      if (mirror_.dead(range.first + row)) return;
      rows.push_back({range.first + row, added(range.column[i], range.count[i])});
    };
    const std::uint64_t end = range.row_begin[range.rows];
    std::uint64_t i = range.row_begin[0];
    for (; i + kEntriesAtOnce <= end; i += kEntriesAtOnce) {
      std::uint32_t any = 0;
      for (std::uint64_t j = i; j < i + kEntriesAtOnce; ++j) any |= moved_bit(range.column[j]);
      if ((any & 1) == 0) continue;
      for (std::uint64_t j = i; j < i + kEntriesAtOnce; ++j) check(j);
    }
    for (; i < end; ++i) check(i);
  }

 private:
  static constexpr std::uint32_t kBits = 32;

  /// The lowest bit says whether a term moved.
  std::uint32_t moved_bit(std::uint32_t term) const { return moved_[term / kBits] >> term % kBits; }

  double added(std::uint32_t term, std::uint16_t count) const {
    return tf_[count] * tf_[count] *
           std::ranges::lower_bound(terms_, term, {}, &MovedTerm::term)->square;
  }

  const std::span<const MovedTerm> terms_;
  const MirrorRows& mirror_;
  const std::span<const double> tf_;
  std::vector<std::uint32_t> moved_;  ///< a bit for each column
};

bool by_scan(const RowScan& scan, const MirrorRows& mirror, std::size_t most, std::size_t threads,
             std::vector<MovedRow>& rows) {
  std::mutex mutex;
  std::atomic<bool> too_many = false;
  for_each_chunk(
      mirror.places(), kRowsAtOnce, threads, [&](std::uint32_t begin, std::uint32_t end) {
        if (too_many) return;
        std::vector<MovedRow> own;
        mirror.for_each_range(begin, end,
                              [&](const MirrorRows::RowRange& range) { scan.find(range, own); });
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
                                             const MirrorRows& mirror, std::span<const double> tf,
                                             const HolderLists& lists, std::size_t most,
                                             std::size_t threads) {
  std::vector<MovedRow> rows;
  if (terms.empty()) return rows;
  const bool has_lists = lists.find && (terms.size() <= kFewLists ||
                                        terms.size() * lists.entries_per_list <= mirror.nonzeros());
  if (has_lists && by_lists(terms, mirror, tf, lists, most, rows)) return rows;
  rows.clear();
  if (!by_scan({terms, mirror, tf}, mirror, most, threads, rows)) return std::nullopt;
  return rows;
}

}  // namespace kindred::cpu
