#include "gpu/cpu/mirror/moved_terms.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "gpu/workers.h"

// Floor of going through all rows: 4 bytes an entry from memory, and a load from a table of a bit
// for each term, which fits the first-level cache (a table of bytes takes twice as long). Hardly
// any entry is of a term that moved, so eight of them are asked about together.

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kRowsAtOnce = 8192;  // one item of parallel work
constexpr std::uint64_t kEntriesAtOnce = 8;
constexpr std::size_t kFewLists = 8;         // always worth finding
constexpr std::uint32_t kUnlistedShare = 8;  // of the rows, 1 in so many, may be in no list

double added_by(const MovedTerm& moved, std::span<const double> tf, std::uint16_t count) {
  return count == 0 ? moved.most : tf[count] * tf[count] * moved.square;
}

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
      rows.push_back({place, added_by(moved, tf, count)});
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
    return added_by(*std::ranges::lower_bound(terms_, term, {}, &MovedTerm::term), tf_, count);
  }

  const std::span<const MovedTerm> terms_;
  const MirrorRows& mirror_;
  const std::span<const double> tf_;
  std::vector<std::uint32_t> moved_;  ///< a bit for each column
};

/// Where the rows of terms are found.
class RowSearch {
 public:
  RowSearch(const MirrorRows& mirror, std::span<const double> tf, const HolderLists& lists,
            std::size_t most, std::size_t threads)
      : mirror_(mirror), tf_(tf), lists_(lists), most_(most), threads_(threads) {}

  /// Each of these appends the rows; false if it cannot, or finds too many.
  bool find(std::span<const MovedTerm> terms, KnownHolders& known) {
    take_ended(known);
    if (known.rare == nullptr) {
      if (find_in_lists(terms)) return true;
      if (mirror_.nonzeros() < known.least_entries) return look_through(terms, 0);
    }
    const bool is_first = !std::exchange(known.looked_through, true);
    if (!is_first && !serves(known.rare.get())) make_lists(known);
    return known.rare != nullptr ? find_known(terms, *known.rare) : look_through(terms, 0);
  }

  std::vector<MovedRow> take_rows() { return std::move(rows_); }

 private:
  bool find_in_lists(std::span<const MovedTerm> terms) {
    const std::size_t before = rows_.size();
    const bool few =
        terms.size() <= kFewLists || terms.size() * lists_.entries_per_list <= mirror_.nonzeros();
    if (lists_.find && few && by_lists(terms, mirror_, tf_, lists_, most_, rows_)) return true;
    rows_.resize(before);
    return false;
  }

  static void take_ended(KnownHolders& known) {
    if (known.making == nullptr || !known.making->ended()) return;
    known.rare = known.latest();
    known.making.reset();  // if it failed, the next change tries again
  }

  void make_lists(KnownHolders& known) {
    if (known.making != nullptr) return;
    const auto making = std::make_shared<Making<RareHolders>>(
        [mirror = mirror_](const std::atomic<bool>& stop) { return RareHolders(mirror, stop); });
    if (!making->start(threads_)) making->run();
    known.making = making;
    take_ended(known);
  }

  /// Not if there are none, or too many rows have come.
  bool serves(const RareHolders* rare) const {
    return rare != nullptr && mirror_.places() - rare->places() <= rare->places() / kUnlistedShare;
  }

  /// Terms that are not rare are found as if there were no others.
  bool find_known(std::span<const MovedTerm> terms, const RareHolders& rare) {
    std::vector<MovedTerm> others, listed;
    for (const MovedTerm& moved : terms) {
      (rare.knows(moved.term) ? listed : others).push_back(moved);
      if (!rare.knows(moved.term)) continue;
      rare.for_each(moved.term, [&](std::uint32_t place, std::uint16_t count) {
        if (!mirror_.dead(place)) rows_.push_back({place, added_by(moved, tf_, count)});
      });
      if (rows_.size() > most_) return false;
    }
    if (!look_through(listed, rare.places())) return false;
    return others.empty() || find_in_lists(others) || look_through(others, 0);
  }

  /// Goes through the rows from place `first` on.
  bool look_through(std::span<const MovedTerm> terms, std::uint32_t first) {
    if (first == mirror_.places()) return true;
    const RowScan scan(terms, mirror_, tf_);
    std::mutex mutex;
    std::atomic<bool> too_many = false;
    for_each_chunk(mirror_.places() - first, kRowsAtOnce, threads_,
                   [&](std::uint32_t begin, std::uint32_t end) {
                     if (too_many) return;
                     std::vector<MovedRow> own;
                     mirror_.for_each_range(
                         first + begin, first + end,
                         [&](const MirrorRows::RowRange& range) { scan.find(range, own); });
                     const std::lock_guard lock(mutex);
                     too_many = too_many || own.size() > most_ - rows_.size();
                     if (!too_many) rows_.insert(rows_.end(), own.begin(), own.end());
                   });
    return !too_many;
  }

  const MirrorRows& mirror_;
  const std::span<const double> tf_;
  const HolderLists& lists_;
  const std::size_t most_, threads_;
  std::vector<MovedRow> rows_;
};

}  // namespace

std::shared_ptr<const RareHolders> KnownHolders::latest() const {
  try {
    if (const auto made = making != nullptr ? making->result() : nullptr) return made;
  } catch (...) {  // as if they had not been asked for
  }
  return rare;
}

std::optional<std::vector<MovedRow>> rows_of(std::span<const MovedTerm> terms,
                                             const MirrorRows& mirror, std::span<const double> tf,
                                             const HolderLists& lists, std::size_t most,
                                             std::size_t threads, KnownHolders& known) {
  RowSearch search(mirror, tf, lists, most, threads);
  if (!terms.empty() && !search.find(terms, known)) return std::nullopt;
  return search.take_rows();
}

}  // namespace kindred::cpu
