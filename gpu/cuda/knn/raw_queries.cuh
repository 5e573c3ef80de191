#pragma once

#include <cuda_runtime.h>
#include <cstdint>

#include "gpu/cuda/device/mirror_view.cuh"

namespace kindred::cuda {

/// Queries as they came from the host: QueryView of gpu/queries.h on the device. Offsets in
/// row_begin are relative to `base`.
struct RawQueries {
  std::uint32_t rows;
  std::uint64_t base;
  const std::uint64_t* row_begin;
  const std::uint32_t* term;
  const double* weight;        ///< or null
  const std::uint16_t* count;  ///< or null
  std::uint64_t most_terms;    ///< of any of them
};

/// What can be wrong with a query's values. One fault is reported, even if there are several.
enum QueryFault : unsigned { kNoFault = 0, kTermsDescend = 1, kUnknownTerm = 2, kNotFinite = 3 };

/// Writes the factor of every entry to `factor` (to the bits of Queries::add_counts and
/// term_factor), copies its term to `term` (which may be queries.term itself), and sets *fault
/// where an entry is not what RawQueries asks for. `fault` may be host memory.
void prepare_queries(const MirrorView& mirror, const RawQueries& queries, std::uint32_t* term,
                     double* factor, unsigned* fault, cudaStream_t stream);

}  // namespace kindred::cuda
