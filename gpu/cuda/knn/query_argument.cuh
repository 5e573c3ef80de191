#pragma once

#include <cstdint>

namespace kindred::cuda {

inline constexpr std::uint32_t kTermsInside =
    256;  ///< of a query, that a block keeps in its memory

/// A word of mapped host memory that the device has yet to write. No neighbor looks like it.
inline constexpr std::uint64_t kNotYet = ~std::uint64_t{0};

/// A query that travels with its launch. Its answer is in mapped host memory, where the host
/// watches it arrive: each neighbor is written as one word; after shares, `arrived` is set to 0.
template <std::uint32_t kTerms>
struct QueryArgument {
  std::uint64_t* arrived;
  std::uint32_t terms;
  std::uint32_t term[kTerms];
  double factor[kTerms];
};

inline constexpr std::uint32_t kFewTerms = 96;  ///< a smaller argument, which is sent sooner
using ShortQuery = QueryArgument<kFewTerms>;
using OneQuery = QueryArgument<kTermsInside>;

/// A query with more terms, which are in device memory.
struct LongQuery {
  std::uint64_t* arrived;
  std::uint32_t terms;
  const std::uint32_t* term;
  const double* factor;
};

}  // namespace kindred::cuda
