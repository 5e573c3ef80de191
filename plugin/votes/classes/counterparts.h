#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/queries.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/row_sums.h"

namespace kindred {

/// One document of each label. Where a document is left out, its own labels lack one that the sums
/// of all others have. If these lack their counterparts, that does not tell the labels apart.
class Counterparts {
 public:
  /// @param vectors of each label, the unit vector of one of its documents; empty: of none
  Counterparts(const ClassSums& sums, const Queries& vectors);

 private:
  friend class LabelComparison;
  __extension__ using Wide = __int128;

  /// What the counterparts have of a term, labels ascending.
  std::span<const LabelTotal> of(std::uint32_t term) const;

  std::vector<std::uint32_t> terms_;   // ascending
  std::vector<std::size_t> begin_{0};  // of each term's entries
  std::vector<LabelTotal> entries_;
  std::vector<Wide> square_;  // by which |S(l)|^2 is less without it
  std::vector<Wide> mass_;
  std::vector<std::uint8_t> is_there_;
};

}  // namespace kindred
