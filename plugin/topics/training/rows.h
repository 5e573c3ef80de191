#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/som/rows.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The documents of a snapshot over the terms that a map takes: what it is trained on.
struct TopicRows {
  std::vector<std::uint32_t> terms;  ///< column -> term of the mirror
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> column;
  std::vector<float> weight;

  SparseRows view() const;

  /// The rows in parts of `documents` each, the last one perhaps smaller, as views of the whole.
  std::vector<SomRows> partitions(std::size_t documents) const;
};

/// Weights of length 1 over all terms, then only the terms in `min_df` documents and more, or all
/// if there is no such term. Takes 8 bytes per weight that is kept, beside the mirror, and 10 more
/// for the terms of `at_once` documents while it is made.
TopicRows topic_rows(const Snapshot& snapshot, std::int64_t min_df, std::size_t at_once);

}  // namespace kindred
