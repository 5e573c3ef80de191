#pragma once

#include "gpu/cuda/search/search_block.cuh"

// The terms of a query, and what they weigh, in a hash table of the block's memory. Rows are
// finished with it: most terms of a row are not the query's, and one look shows that.

namespace kindred::cuda {

/// Some of the query's terms: those from `begin` to before `end`.
struct TermRange {
  std::uint32_t begin, end;

  /// The first of the ranges that a query is cut into.
  static __device__ TermRange first(const Query& query) {
    return {0, min(query.terms, kTermsNumbered)};
  }
  __device__ TermRange next(const Query& query) const {
    return {end, min(query.terms, end + kTermsNumbered)};
  }
};

inline __device__ std::uint32_t query_term_slot(std::uint32_t term) {
  static_assert(kQueryTermSlots == 1u << 13);
  return term * 0x9E3779B1u >> 19;
}

/// Makes a table empty; all threads of the block.
inline __device__ void clear_terms(QueryTerms& table) {
  for (std::uint32_t i = threadIdx.x; i < sizeof(table.number) / 16; i += kThreads)
    reinterpret_cast<uint4*>(table.number)[i] = {};
}

/// Fills an empty table with terms of the query; all threads of the block. It is complete after the
/// caller's next barrier.
inline __device__ void load_terms(QueryTerms& table, const Query& query, TermRange range) {
  for (std::uint32_t i = range.begin + threadIdx.x; i < range.end; i += kThreads) {
    const std::uint32_t at = i - range.begin, term = query.term[i];
    table.term[at] = term;
    table.factor[at] = query.factor[i];
    std::uint32_t slot = query_term_slot(term);
    const auto number = static_cast<unsigned short>(at + 1);
    while (atomicCAS(&table.number[slot], static_cast<unsigned short>(0), number) != 0)
      slot = (slot + 1) % kQueryTermSlots;
  }
}

/// The factor of `term`, in whose slot `number` is, which is not 0; 0 if it is not in the table.
inline __device__ double factor_of(const QueryTerms& table, std::uint32_t term,
                                   std::uint32_t number) {
  const double factor = table.factor[number - 1];  // not waited for unless it is the term's
  if (table.term[number - 1] == term) return factor;
  for (std::uint32_t slot = (query_term_slot(term) + 1) % kQueryTermSlots;
       (number = table.number[slot]) != 0; slot = (slot + 1) % kQueryTermSlots)
    if (table.term[number - 1] == term) return table.factor[number - 1];
  return 0;
}

}  // namespace kindred::cuda
