#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/csr.h"
#include "gpu/row_set.h"

namespace kindred {

/// Stands for no document: numbers of documents begin with 1, as those of Xapian do.
inline constexpr std::uint32_t kNoDocument = 0;
/// Stands for no place.
inline constexpr std::uint32_t kNoPlace = UINT32_MAX;

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

/// Documents that came together, one for each row: their numbers, counts and labels. Never changes.
/// Mirrors that share a segment share its pointer, and what backends made of it.
struct Segment {
  CsrView counts;    ///< of the terms that there were when it was made
  LabelView labels;  ///< no rows, or as many as `counts`
  /// [rows] of the documents, ascending, above kNoDocument; null: they are 1, 2, ..
  const std::uint32_t* numbers = nullptr;

  std::uint32_t number(std::uint32_t row) const {
    return numbers == nullptr ? row + 1 : numbers[row];
  }
};
using SegmentPointer = std::shared_ptr<const Segment>;

/// Of the bytes of what several hold, the part of one holder.
template <typename T>
std::size_t part_of_bytes(std::size_t bytes, const std::shared_ptr<T>& holder) {
  return bytes / static_cast<std::size_t>(std::max(1L, holder.use_count()));
}

/// A segment without numbers that borrows its parts, which outlive it. Checks the labels on up to
/// `threads` threads (gpu/workers.h).
/// @throws Error kInvalidArgument if they are not for these rows, do not ascend inside a row, or
/// one of them is LabelShare::kNoLabel.
SegmentPointer borrowed_segment(CsrView counts, LabelView labels, std::size_t threads = 1);

/// A row's entries.
struct RowEntries {
  std::span<const std::uint32_t> columns;  ///< ascending
  std::span<const std::uint16_t> counts;   ///< of each
  std::size_t size() const { return columns.size(); }
};
inline RowEntries entries_of(const CsrView& counts, std::uint32_t row) {
  const std::uint64_t begin = counts.row_begin[row];
  const std::size_t size = counts.row_begin[row + std::size_t{1}] - begin;
  return {{counts.column + begin, size}, {counts.count + begin, size}};
}

/// A mirror as backends see it: segments, and which of their rows are alive. A document is alive in
/// one segment at most.
///
/// Callers know a document by its number. It lies at a place: places count the rows of the segments
/// in their order, dead ones, too. Immutable.
///
///     const SegmentList mirror(borrowed_segment(counts, LabelView()));
///     for (const std::uint32_t number : mirror.numbers())
///       std::cout << number << " has " << mirror.terms_of(number).size() << " terms\n";
class SegmentList {
 public:
  struct Part {
    SegmentPointer segment;
    std::uint32_t first_place;
    friend bool operator==(const Part&, const Part&) = default;
  };

  SegmentList() = default;  ///< without segments
  explicit SegmentList(const SegmentPointer& segment)
      : SegmentList({segment}, segment->counts.columns) {}
  /// @param columns at least those of each segment
  /// @param dead the places of rows that are not alive; covers none or all
  /// @throws Error kInvalidArgument if that does not hold, or there are 2^32 - 1 places or more.
  SegmentList(const std::vector<SegmentPointer>& segments, std::uint32_t columns, RowSet dead = {});

  std::uint32_t documents() const { return documents_; }  ///< that are alive
  std::uint32_t places() const { return places_; }
  std::uint32_t columns() const { return columns_; }
  const std::vector<Part>& parts() const { return parts_; }
  std::uint64_t nonzeros() const;  ///< of all places, dead ones included

  /// Of the document at a place, alive or not.
  std::uint32_t number_at(std::uint32_t place) const {
    const Part& part = part_of(place);
    return part.segment->number(place - part.first_place);
  }
  /// kNoPlace for a number without a living document. O(segments + log rows), without gaps between
  /// the numbers of a segment O(segments).
  std::uint32_t place_of(std::uint32_t number) const;
  bool has(std::uint32_t number) const { return place_of(number) != kNoPlace; }
  /// The place of a document that a backend named: a neighbor. @throws Error kDevice if there is
  /// none, so that a device that fails does not make its host read out of bounds.
  std::uint32_t place_of_neighbor(std::uint32_t number) const;
  /// All living documents in the order of their numbers: the numbers, and the places.
  std::vector<std::uint32_t> numbers() const;
  std::vector<std::uint32_t> places_in_order() const;
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
  std::span<const std::uint32_t> labels_at(std::uint32_t place) const;
  /// What a document has; nothing if there is none of this number.
  RowEntries terms_of(std::uint32_t number) const {
    const std::uint32_t place = place_of(number);
    if (place == kNoPlace) return {};
    return (*this)[place];
  }
  std::span<const std::uint32_t> labels_of(std::uint32_t number) const {
    const std::uint32_t place = place_of(number);
    if (place == kNoPlace) return {};
    return labels_at(place);
  }
  /// Those of a neighbor. @throws Error kDevice, as place_of_neighbor().
  std::span<const std::uint32_t> labels_of_neighbor(std::uint32_t number) const {
    return labels_at(place_of_neighbor(number));
  }

  /// Calls visit(place, entries) for each place of [begin, end), dead ones included.
  template <typename Visit>
  void for_each(std::uint32_t begin, std::uint32_t end, Visit&& visit) const {
    while (begin < end) {
      // Finds the part once and not for each place.
      const std::size_t index = index_of(begin);
      const auto& [segment, first] = parts_[index];

      std::uint32_t last = end;
      if (index + 1 < parts_.size()) last = std::min(end, parts_[index + 1].first_place);
      for (; begin < last; ++begin)
        visit(begin, is_dead(begin) ? RowEntries{} : entries_of(segment->counts, begin - first));
    }
  }

  /// The part that holds a place, and its number among parts().
  const Part& part_of(std::uint32_t place) const { return parts_[index_of(place)]; }
  std::size_t index_of(std::uint32_t place) const {
    return parts_.size() == 1 ? 0 : find_index(place);
  }
  bool has(const SegmentPointer& segment) const;
  /// True if the other has the same segments at the same places.
  bool has_parts_of(const SegmentList& other) const { return parts_ == other.parts_; }
  std::size_t bytes() const;  ///< besides those of the segments

 private:
  std::size_t find_index(std::uint32_t place) const;

  std::vector<Part> parts_;
  std::uint32_t documents_ = 0;
  std::uint32_t places_ = 0;
  std::uint32_t columns_ = 0;
  std::uint32_t ascending_ = 0;
  RowSet dead_;
};
using SegmentListPointer = std::shared_ptr<const SegmentList>;

/// @throws Error kDevice: a backend named a document that it cannot have found.
[[noreturn]] void refuse_neighbor(std::uint32_t number);

/// Some documents as a matrix, one for each row, for those that need one.
Csr matrix_of(const SegmentList& mirror, std::span<const std::uint32_t> numbers);

/// The transpose: row t of the result lists the places of the documents that hold term t, in the
/// order of their numbers.
Csr transpose(const SegmentList& mirror);

/// Refuses labels that are not for `rows` rows, that do not ascend inside a row, or kNoLabel. None
/// at all are fine for any number of rows. Works on up to `threads` threads (for_each_item()).
void check_labels(LabelView labels, std::uint32_t rows, std::size_t threads);

}  // namespace kindred
