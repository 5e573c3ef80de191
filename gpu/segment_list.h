#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/row_set.h"

namespace kindred {

/// Stands for no row, and for no place.
inline constexpr std::uint32_t kNoRow = UINT32_MAX;

/// The labels of rows, borrowed, in CSR: row r has label[row_begin[r]] .. , ascending and below
/// LabelShare::kNoLabel.
struct LabelView {
  std::uint32_t rows = 0;
  const std::uint64_t* row_begin = nullptr;  ///< rows + 1 offsets, the first 0
  const std::uint32_t* label = nullptr;

  /// Those of a row; none if there are no rows.
  std::span<const std::uint32_t> of(std::uint32_t row) const {
    if (rows == 0) return {};
    return {label + row_begin[row], row_begin[row + std::size_t{1}] - row_begin[row]};
  }
};

/// Documents that came together, one for each row: their counts and labels. Never changes. Mirrors
/// that share a segment share its pointer, and what backends made of it.
struct Segment {
  CsrView counts;    ///< of the terms that there were when it was made
  LabelView labels;  ///< no rows, or as many as `counts`
};
using SegmentPointer = std::shared_ptr<const Segment>;

/// Of the bytes of what several hold, the part of one holder.
template <typename T>
std::size_t part_of_bytes(std::size_t bytes, const std::shared_ptr<T>& holder) {
  return bytes / static_cast<std::size_t>(std::max(1L, holder.use_count()));
}

/// A segment that borrows counts and labels, which outlive it. Checks the labels on up to `threads`
/// threads (gpu/workers.h).
/// @throws Error kInvalidArgument if they are not for these rows, do not ascend inside a row, or
/// one of them is LabelShare::kNoLabel.
SegmentPointer borrowed_segment(CsrView counts, LabelView labels, std::size_t threads = 1);

/// A row's entries: `size` columns, ascending, and their counts.
struct RowEntries {
  const std::uint32_t* column = nullptr;
  const std::uint16_t* count = nullptr;
  std::size_t size = 0;
};

/// A mirror as backends see it: segments, and which of their rows are alive.
///
/// - Callers know a row by its number. Numbers are below rows(); some may have no row.
/// - A row lies at a place. Places count the rows of the segments in their order, dead ones, too.
///
/// While rows only come after all others, the number of each is its place. Immutable.
class SegmentList {
 public:
  struct Part {
    SegmentPointer segment;
    std::uint32_t first_place;
    friend bool operator==(const Part&, const Part&) = default;
  };

  SegmentList() = default;  ///< without segments
  /// All rows of one segment are alive, and numbered in their order.
  explicit SegmentList(const SegmentPointer& segment)
      : SegmentList({segment}, segment->counts.columns, segment->counts.rows, {}) {}
  /// @param columns at least those of each segment
  /// @param rows the numbers are below it
  /// @param number of the row at each place; kNoRow for dead places. Inside a segment they ascend,
  ///        and none comes twice. Empty: each is its place.
  /// @throws Error kInvalidArgument if that does not hold; as places_of().
  SegmentList(const std::vector<SegmentPointer>& segments, std::uint32_t columns,
              std::uint32_t rows, std::vector<std::uint32_t> number);

  /// The first place of each segment, then the number of all places.
  /// @throws Error kInvalidArgument if there are 2^32 - 1 places or more.
  static std::vector<std::uint32_t> places_of(std::span<const SegmentPointer> segments);

  std::uint32_t rows() const { return rows_; }
  std::uint32_t places() const { return places_; }
  std::uint32_t columns() const { return columns_; }
  const std::vector<Part>& parts() const { return parts_; }
  std::uint64_t nonzeros() const;  ///< of all places, dead ones included

  /// False while every row's number is its place.
  bool has_moved() const { return moved_; }
  /// kNoRow for a number without a row.
  std::uint32_t place_of(std::uint32_t number) const {
    return has_moved() ? place_[number] : number;
  }
  /// kNoRow for a dead place.
  std::uint32_t number_at(std::uint32_t place) const {
    return has_moved() ? number_[place] : place;
  }
  /// [rows] and [places]; empty unless has_moved().
  std::span<const std::uint32_t> place() const { return place_; }
  std::span<const std::uint32_t> number() const { return number_; }
  /// The dead places. Covers none if none is dead, else all.
  const RowSet& dead() const { return dead_; }
  bool is_dead(std::uint32_t place) const { return dead_.has(place); }
  /// The rows at places below this one, an end of a segment, have ascending numbers.
  std::uint32_t ascending() const { return ascending_; }

  /// What the row at a place has; nothing at a dead place.
  RowEntries operator[](std::uint32_t place) const {
    if (is_dead(place)) return {};
    const Part& part = part_of(place);
    return entries_of(part.segment->counts, place - part.first_place);
  }
  /// What the row of a number has; nothing for a number without a row.
  RowEntries row(std::uint32_t number) const {
    const std::uint32_t place = place_of(number);
    return place == kNoRow ? RowEntries{} : (*this)[place];
  }
  std::span<const std::uint32_t> labels(std::uint32_t number) const;

  /// Calls visit(place, entries) for each place of [begin, end), dead ones included.
  template <typename Visit>
  void for_each(std::uint32_t begin, std::uint32_t end, Visit&& visit) const {
    while (begin < end) {
      const std::size_t index = index_of(begin);
      const auto& [segment, first] = parts_[index];
      const std::uint32_t last =
          index + 1 < parts_.size() ? std::min(end, parts_[index + 1].first_place) : end;
      for (; begin < last; ++begin)
        visit(begin, is_dead(begin) ? RowEntries{} : entries_of(segment->counts, begin - first));
    }
  }

  const Part& part_of(std::uint32_t place) const { return parts_[index_of(place)]; }
  bool has(const SegmentPointer& segment) const;
  /// True if the other has the same segments at the same places.
  bool has_parts_of(const SegmentList& other) const { return parts_ == other.parts_; }
  std::size_t bytes() const;  ///< besides those of the segments

 private:
  static RowEntries entries_of(const CsrView& counts, std::uint32_t row) {
    const std::uint64_t begin = counts.row_begin[row];
    return {counts.column + begin, counts.count + begin,
            counts.row_begin[row + std::size_t{1}] - begin};
  }
  std::size_t index_of(std::uint32_t place) const {
    return parts_.size() == 1 ? 0 : find_index(place);
  }
  std::size_t find_index(std::uint32_t place) const;
  void place_rows();

  std::vector<Part> parts_;
  std::uint32_t rows_ = 0, places_ = 0, columns_ = 0, ascending_ = 0;
  bool moved_ = false;
  std::vector<std::uint32_t> place_, number_;
  RowSet dead_;
};
using SegmentListPointer = std::shared_ptr<const SegmentList>;

/// Refuses labels that are not for `rows` rows, that do not ascend inside a row, or kNoLabel. None
/// at all are fine for any number of rows. Works on up to `threads` threads (for_each_item()).
void check_labels(LabelView labels, std::uint32_t rows, std::size_t threads);

/// The rows that a call may return, by their places.
struct AllowedRows {
  bool few = false;                 ///< then `rows` lists them, and they are scored one by one
  std::vector<std::uint32_t> rows;  ///< places, in the order of their numbers
  std::span<const std::uint64_t> borrowed{};  ///< RowSet::words() where numbers are places
  std::vector<std::uint64_t> moved{};         ///< the bits by place where they are not

  /// One bit for each place; that of a dead place may have any value. Empty: all may be returned,
  /// or `few` are.
  std::span<const std::uint64_t> words() const {
    return moved.empty() ? borrowed : std::span<const std::uint64_t>(moved);
  }
};

/// Those of `allowed` (null: all) that a mirror has; borrows its words.
AllowedRows allow_rows(const RowSet* allowed, const SegmentList& mirror);

}  // namespace kindred
