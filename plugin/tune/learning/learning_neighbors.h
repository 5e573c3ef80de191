#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/row_set.h"

namespace kindred {

/// Documents that corrections of term weights are learned from, and the documents that are most
/// similar to each by plain weights: the candidates for its neighbors under any others. Found once,
/// they serve all folds, since they depend on no label.
struct LearningNeighbors {
  std::size_t k = 0;
  std::vector<std::uint32_t> documents;  ///< rows, ascending
  std::vector<Neighbor> candidates;      ///< [documents, k]; a short list ends in kNoRow
};

/// The documents that some voters learn from, with their neighbors, as CorrectionExamples has them.
struct LearningPairs {
  std::vector<std::uint32_t> documents;
  std::vector<Neighbor> neighbors;  ///< [documents, k]
};

/// Takes those of the documents that may vote, and for each the k candidates that are most similar
/// to it under the weights `base` and may vote. Equal similarities are in the order of rows. Up to
/// `threads` threads.
LearningPairs learning_pairs(const CsrView& counts, const TermWeighting& base,
                             const LearningNeighbors& known, const RowSet& voters, std::size_t k,
                             std::size_t threads);

}  // namespace kindred
