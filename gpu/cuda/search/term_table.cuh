#pragma once

#include "gpu/cuda/search/search_block.cuh"

// Finds the query's terms among those of rows. Most of a row's terms are not the query's, and one
// look into shared memory shows that.

namespace kindred::cuda {

inline __device__ std::uint32_t term_slot(std::uint32_t term) {
  static_assert(kTermSlots == 1u << 13);
  return term * 0x9E3779B1u >> 19;
}

/// Makes a table empty; all threads of the block.
inline __device__ void clear_terms(TermTable& table) {
  for (std::uint32_t i = threadIdx.x; i < sizeof(table) / 16; i += kThreads)
    reinterpret_cast<uint4*>(table.number)[i] = {};
}

/// Numbers the query's terms in an empty table; all threads of the block. The numbers are there
/// after the caller's next barrier.
inline __device__ void number_terms(TermTable& table, const Query& query) {
  auto* const words = reinterpret_cast<std::uint32_t*>(table.number);
  for (std::uint32_t i = threadIdx.x; i < query.terms; i += kThreads) {
    const std::uint32_t slot = term_slot(query.term[i]), shift = slot % 2 * 16;
    const std::uint32_t number = i < TermTable::kMostNumbered ? i + 1 : TermTable::kUnnumbered;
    // A thread that comes second sees that a number is there. It sets all bits, which stay set.
    const std::uint32_t before = atomicOr(words + slot / 2, number << shift);
    if ((before >> shift & 0xFFFF) != 0)
      atomicOr(words + slot / 2, TermTable::kUnnumbered << shift);
  }
}

/// The factor of `term`; 0 if the query lacks it.
inline __device__ double find_factor(const TermTable& table, const Query& query,
                                     std::uint32_t term) {
  const std::uint32_t number = table.number[term_slot(term)];
  if (number == 0) return 0;
  if (number == TermTable::kUnnumbered) return find_factor(query, term);
  return query.term[number - 1] == term ? query.factor[number - 1] : 0;
}

}  // namespace kindred::cuda
