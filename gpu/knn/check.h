#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/knn/backend.h"

// The checks that every backend makes of a call's arguments. They throw Error kInvalidArgument
// unless said otherwise, before anything is written.

namespace kindred {

/// A mirror's size.
struct MirrorSize {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};
inline MirrorSize size_of(const SegmentList& mirror) { return {mirror.rows(), mirror.columns()}; }

/// rows * each: the size of an answer whose items take `item_bytes` each.
/// @throws Error kInvalidArgument if each == 0; kOutOfMemory if no memory could hold it.
std::size_t answer_size(std::size_t rows, std::size_t each, std::size_t item_bytes);

/// Refuses offsets that are not what QueryView promises. The entries themselves are not read.
void check_offsets(const QueryView& queries);

/// Refuses queries that are not what QueryView promises, or name a term outside the mirror.
void check_queries(const QueryView& queries, std::uint32_t columns);

/// Checks the arguments of Backend::nearest() except the queries' entries. `size` is the size of
/// its answer.
void check_nearest(MirrorSize mirror, const QueryView& queries, std::size_t k,
                   const RowSet* allowed, std::size_t size);

/// Checks the arguments of Backend::vote() except the queries' entries. `size` is the size of its
/// answer.
void check_vote(MirrorSize mirror, const QueryView& queries, const Vote& vote, std::size_t size);

/// Refuses a weighting that does not have exactly one idf per column, or that has a value that is
/// negative or not finite.
void check_weighting(const TermWeighting& weighting, std::uint32_t columns);

}  // namespace kindred
