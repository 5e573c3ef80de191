#pragma once

#include <cuda_runtime.h>
#include <cstdint>

#include "gpu/cuda/device/mirror_view.cuh"
#include "gpu/knn/backend.h"

namespace kindred::cuda {

/// The votes of a batch's neighbors, which lie in device memory. Like vote.cuh, but for mirrors
/// with at most kTableLabels labels: a table has an entry for each, and there may be any number of
/// votes.
struct VoteBatch {
  MirrorView mirror;
  std::uint32_t queries;
  std::uint32_t k;
  const Neighbor* neighbors;     ///< [queries, k]
  const std::uint32_t* exclude;  ///< [queries] a document that may not vote, or null
  std::uint32_t label_count;     ///< all labels are below it; at most kTableLabels
  std::uint32_t labels;          ///< shares wanted for each query
  LabelShare* shares;            ///< [queries, labels]
  unsigned* answered;            ///< counts answers, as SearchJob::answered does
};

inline constexpr std::uint32_t kTableLabels = 768;

void vote_batch(const VoteBatch& job, cudaStream_t stream);

}  // namespace kindred::cuda
