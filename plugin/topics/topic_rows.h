#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/som/rows.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The rows that a map is trained on: the documents of a snapshot over the terms of the map.
struct TopicRows {
  std::vector<Xapian::docid> docids;  ///< of the rows, ascending
  std::vector<std::uint32_t> terms;   ///< column -> term of the mirror
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> column;
  std::vector<float> weight;

  SomRows view() const;

  /// Rows [begin, end) in parts of kAtOnce, the last one perhaps smaller, as views of the whole; a
  /// part without rows if there are none. A device needs room for one part only.
  std::vector<SomRows> partitions(std::size_t begin, std::size_t end) const;

  static constexpr std::size_t kAtOnce = 100'000;
};

/// Rows are weighted and scaled to length 1 over all terms. Then only the terms in at least
/// `min_df` documents are kept, or all if there is no such term. Takes 8 bytes per weight that is
/// kept, beside the mirror, and while it is made 10 bytes for each term of kAtOnce documents.
TopicRows topic_rows(const Snapshot& snapshot, std::int64_t min_df);

}  // namespace kindred
