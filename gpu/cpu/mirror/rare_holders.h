#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/mirror/mirror_rows.h"

namespace kindred::cpu {

/// Lists the rows that hold each rare term: those whose idf a few documents move far. Rows keep
/// their places as a mirror changes, so the lists hold for its later states, too, where some of
/// these rows may be dead and others may have come. Immutable.
class RareHolders {
 public:
  static constexpr std::uint32_t kMostRows = 128;  ///< a rare term is in no more rows

  /// Goes through all rows, twice. Lists only those whose place is below 2^26.
  /// @throws MakingStopped within a few milliseconds after `stop` became true.
  RareHolders(const MirrorRows& mirror, const std::atomic<bool>& stop);

  std::uint32_t places() const { return places_; }  ///< rows below this place are in the lists
  /// True if all rows below places() that hold the term are known: there are few, or none.
  bool knows(std::uint32_t term) const { return term >= is_rare_.size() || is_rare_[term] != 0; }

  /// Calls visit(place, count) for each row that holds a term that it knows. `count`: of the term
  /// in the row; 0: that is not known.
  template <typename Visit>
  void for_each(std::uint32_t term, Visit&& visit) const {
    if (term >= is_rare_.size()) return;
    for (std::uint32_t i = begin_[term]; i < begin_[term + std::size_t{1}]; ++i)
      visit(holder_.data()[i] & kPlaceMask,
            static_cast<std::uint16_t>(holder_.data()[i] >> kPlaceBits));
  }

  std::size_t bytes() const;

 private:
  static constexpr int kPlaceBits = 26;
  static constexpr std::uint32_t kPlaceMask = (std::uint32_t{1} << kPlaceBits) - 1;
  static constexpr std::uint32_t kLargestCount = UINT32_MAX >> kPlaceBits;

  void choose_terms(const std::vector<std::uint8_t>& counts);
  void list(const MirrorRows::RowRange& range, std::vector<std::uint32_t>& next);

  std::uint32_t places_;
  std::vector<std::uint8_t> is_rare_;   ///< [columns]
  std::vector<std::uint32_t> begin_;    ///< [columns + 1] offsets into the lists
  AlignedArray<std::uint32_t> holder_;  ///< place, and above it the count
};

}  // namespace kindred::cpu
