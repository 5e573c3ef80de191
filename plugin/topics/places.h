#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/answers.h"
#include "plugin/mirror/mirror.h"
#include "plugin/topics/map.h"

namespace kindred {

/// Places the documents of a mirror by their rows. The places are those of TopicMap::place(), but
/// each term is looked up only once. Any number of threads may use it.
class RowPlacer {
 public:
  /// Both are borrowed.
  /// @throws Error kInvalidArgument if the map was made of terms under other prefixes.
  RowPlacer(const Mirror& mirror, const TopicMap& map);

  std::size_t bytes() const { return column_of_.capacity() * sizeof(std::uint32_t); }

  TopicPlacement place(std::uint32_t row) const;

  /// place() of each row, on up to `threads` threads.
  std::vector<TopicPlacement> place(std::span<const std::uint32_t> rows, std::size_t threads) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  const Mirror& mirror_;
  const TopicMap& map_;
  std::vector<std::uint32_t> column_of_;  // term of the mirror -> column of the map, or kNone
};

/// The places of all documents of a mirror, or of those of `only`, in docid order, found on up to
/// `threads` threads. @throws Error as RowPlacer.
std::vector<PlacedDocument> place_documents(const Mirror& mirror, const TopicMap& map,
                                            std::size_t threads, const RowSet* only = nullptr);

}  // namespace kindred
