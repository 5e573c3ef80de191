#pragma once

#include <cstdint>

// Hashes of a query's terms, which a block asks about the terms of rows.

namespace kindred::cuda {

inline constexpr std::uint32_t kTermSlots = 8192;     // that tell most terms apart from a query's
inline constexpr std::uint32_t kTermsNumbered = 512;  // of a query, that rows are finished with

/// The slot of a term in a hash of kTermSlots.
inline __device__ std::uint32_t term_slot(std::uint32_t term) {
  static_assert(kTermSlots == 1u << 13);
  return term * 0x9E3779B1u >> 19;
}

/// Tells the query's terms from others. A slot of the hash holds
/// - 0 if the query has none of the slot's terms;
/// - 1 .. kMostNumbered if it has one: the term's number, from 1;
/// - kUnnumbered if it may have several.
struct alignas(16) TermTable {
  static constexpr std::uint32_t kMostNumbered = 65534, kUnnumbered = 65535;

  std::uint16_t number[kTermSlots];
};

/// Terms of the query by a hash: a slot, or one of those after it, has the number
/// of its term, from 1; 0 ends the search.
struct alignas(16) QueryTerms {
  std::uint16_t number[kTermSlots];
  std::uint32_t term[kTermsNumbered];
  double factor[kTermsNumbered];
};

}  // namespace kindred::cuda
