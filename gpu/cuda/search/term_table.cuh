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

/// Some of the query's terms: those from `begin` to before `end`.
struct TermRange {
  std::uint32_t begin, end;
};

/// Numbers terms of the query in an empty table; all threads of the block. The numbers are there
/// after the caller's next barrier.
inline __device__ void number_terms(TermTable& table, const Query& query, TermRange range) {
  auto* const words = reinterpret_cast<std::uint32_t*>(table.number);
  for (std::uint32_t i = range.begin + threadIdx.x; i < range.end; i += kThreads) {
    const std::uint32_t slot = term_slot(query.term[i]), shift = slot % 2 * 16;
    const std::uint32_t from_one = i - range.begin + 1;
    const std::uint32_t number =
        from_one <= TermTable::kMostNumbered ? from_one : TermTable::kUnnumbered;
    // A thread that comes second sees that a number is there. It sets all bits, which stay set.
    const std::uint32_t before = atomicOr(words + slot / 2, number << shift);
    if ((before >> shift & 0xFFFF) != 0)
      atomicOr(words + slot / 2, TermTable::kUnnumbered << shift);
  }
}

/// The factor of `term`, whose slot in a table of the terms `range` has `number`, which is not 0;
/// 0 if the query lacks the term.
inline __device__ double find_factor(const Query& query, TermRange range, std::uint32_t number,
                                     std::uint32_t term) {
  std::uint32_t at = range.begin + number - 1;
  if (number == TermTable::kUnnumbered) {
    at = range.begin;
    for (std::uint32_t end = range.end; at < end;) {
      const std::uint32_t middle = (at + end) / 2;
      if (query.term[middle] < term)
        at = middle + 1;
      else
        end = middle;
    }
  }
  return at < range.end && query.term[at] == term ? query.factor[at] : 0;
}

}  // namespace kindred::cuda
