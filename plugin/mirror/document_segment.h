#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/csr.h"
#include "gpu/row_set.h"
#include "gpu/segment_list.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// Documents as numbers, one for each row, ascending by docid.
struct DocumentRows {
  std::vector<Xapian::docid> docids;
  StringTable ids;  ///< row -> unique id, "" where there is none
  Csr counts;
  std::vector<std::uint64_t> label_begin{0};  ///< of a row's labels; rows + 1
  std::vector<std::uint32_t> label;           ///< ascending in a row
  RowSet tagged;                              ///< as in Mirror
  RowSet marked;                              ///< as in Mirror

  std::uint32_t rows() const { return static_cast<std::uint32_t>(docids.size()); }
  LabelView labels() const { return {rows(), label_begin.data(), label.data()}; }
};

/// A segment of an index: documents that came into a mirror together. Never changes.
struct DocumentSegment : Segment {
  explicit DocumentSegment(DocumentRows own);
  DocumentSegment(const DocumentSegment&) = delete;
  DocumentSegment& operator=(const DocumentSegment&) = delete;

  DocumentRows documents;
  RowSet labeled;  ///< rows that have a label
  std::size_t bytes() const;
};

/// A segment, and which of its documents are still what the index has.
struct LivingSegment {
  std::shared_ptr<const DocumentSegment> segment;
  RowSet dead;  ///< covers all rows

  explicit LivingSegment(DocumentRows rows);
  LivingSegment(std::shared_ptr<const DocumentSegment> its_segment, RowSet its_dead)
      : segment(std::move(its_segment)), dead(std::move(its_dead)) {}

  const std::vector<Xapian::docid>& docids() const { return segment->documents.docids; }
  std::uint32_t rows() const { return segment->documents.rows(); }
  std::uint32_t live() const { return rows() - static_cast<std::uint32_t>(dead.count()); }
  /// Appends the docids of the live rows with this id.
  void find_id(std::string_view id, std::vector<Xapian::docid>& docids) const;
  friend bool operator==(const LivingSegment&, const LivingSegment&) = default;
};
using LivingSegments = std::vector<LivingSegment>;

/// A segment has at most so many rows: 14 tiles of a GPU (gpu/cuda/device/mirror_view.cuh), 5 of a
/// CPU (gpu/cpu/tiles.h).
inline constexpr std::uint32_t kMostSegmentRows = 326'144;

/// Cuts documents into as few segments as that allows.
LivingSegments cut_into_segments(DocumentRows rows, std::size_t threads);

/// Joins small segments at the end of the list, rewrites one of those of which a quarter is dead,
/// the one with most of them, and drops those without a live document. So there are O(log
/// documents) segments, and a change costs O(log documents) copies of each document on average.
void merge_segments(LivingSegments& segments);

}  // namespace kindred
