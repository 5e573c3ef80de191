#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/cuda/search/search.cuh"
#include "gpu/knn/backend.h"

namespace kindred::cuda {

/// Queries [first, last) of a call.
struct Chunk {
  std::size_t first = 0, last = 0;
  std::uint64_t most_terms = 0;  ///< of any of them
  std::size_t rows() const { return last - first; }
};

/// Lists a chunk's queries by falling cost: a block that takes a long query last would work on it
/// alone. Costs are numbers of terms, a few taken for one. `items` has room for all. Returns how
/// many of the first ones have more than kManyTerms terms, at most kMostLong.
std::uint32_t list_items(const QueryView& queries, Chunk chunk, std::span<QueryItem> items);

}  // namespace kindred::cuda
