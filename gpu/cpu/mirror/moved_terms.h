#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/cpu/mirror/making.h"
#include "gpu/cpu/mirror/mirror_rows.h"
#include "gpu/cpu/mirror/rare_holders.h"

namespace kindred::cpu {

/// A term whose idf moved.
struct MovedTerm {
  std::uint32_t term;
  double square;  ///< by so much the square of its idf
  double most;    ///< by so much, at most, the square of the length of a row that holds it
};

/// A row that holds such a term, and how much the square of its length moved by that, at most.
struct MovedRow {
  std::uint32_t place;
  double added;
};

/// A row that holds a term so often; 0: that is not known.
struct TermHolder {
  std::uint32_t place;
  std::uint16_t count;
};

/// Lists of the rows that hold a term.
struct HolderLists {
  /// Appends all live rows that hold a term, perhaps with dead ones, and perhaps twice. False if
  /// they are not known, or are more than `most`; then anything may have been appended. Empty:
  /// there are no lists.
  std::function<bool(std::uint32_t term, std::size_t most, std::vector<TermHolder>& rows)> find{};
  /// So many entries of rows are gone through in the time that finds a rare term's list.
  std::uint64_t entries_per_list = 0;
};

/// What rows_of() keeps from one state of a mirror to the next.
struct KnownHolders {
  /// Lists take about seven times as long to make as it takes to look through all rows, which
  /// this does first: many writers stop after one large change. Mirrors of fewer entries than this
  /// get none, since these are looked through in a few milliseconds.
  std::uint64_t least_entries = 1 << 24;
  std::shared_ptr<const RareHolders> rare{};  ///< null: there are none
  bool looked_through = false;
  std::shared_ptr<const Making<RareHolders>> making{};  ///< of lists to come; null if none

  /// The lists that are made by now, also if they have not been taken up; null if there are none.
  std::shared_ptr<const RareHolders> latest() const;
};

/// The live rows that hold the terms, which ascend: at least once for each term that a row holds,
/// in any order. They come from the lists, from those that are `known`, or from all rows if the
/// terms are too many for these. Lists of rare terms are made in a thread of their own, and serve
/// later changes; the caller makes them only where it may have no other thread, or the system gives
/// none. The memory that the mirror borrows has to last as long as `known`. Nothing if there are
/// more than `most`. `tf`: of every count in a live row.
std::optional<std::vector<MovedRow>> rows_of(std::span<const MovedTerm> terms,
                                             const MirrorRows& mirror, std::span<const double> tf,
                                             const HolderLists& lists, std::size_t most,
                                             std::size_t threads, KnownHolders& known);

}  // namespace kindred::cpu
