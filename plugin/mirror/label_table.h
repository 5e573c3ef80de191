#pragma once

#include <cstdint>
#include <vector>

#include "gpu/segment_list.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// The tags that documents have.
///
/// Labels keep their numbers as long as the mirror is followed: new ones have the next numbers, and
/// those that lost their last document keep theirs. `order` says which labels there are, and how
/// ties between them end.
struct LabelTable {
  StringTable names;                       ///< label -> tag
  std::vector<std::uint32_t> documents{};  ///< that have each label; may be 0
  std::vector<std::uint32_t> order{};  ///< the labels that a document has, by names in byte order

  /// Sets documents and order by the documents of a mirror.
  void count(const SegmentList& mirror);
  /// A document more has a label, or one less: brings documents and order up to date. Expects that
  /// documents covers all names.
  void count_one(std::uint32_t own);
  void discount_one(std::uint32_t own);
  /// True if labels are known to be numbered by their names in byte order, and to have documents.
  bool is_in_byte_order() const { return in_byte_order_; }

  std::vector<std::uint32_t> ranks() const;  ///< of each label in `order`; UINT32_MAX: not there

 private:
  std::vector<std::uint32_t>::iterator place_of(std::uint32_t own);
  bool in_byte_order_ = true;
};

}  // namespace kindred
