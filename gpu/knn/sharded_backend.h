#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "gpu/knn/backend.h"

namespace kindred {

/// Makes the backend of shard `shard`, as make_backend() does.
using MakeShard = std::function<std::unique_ptr<const Backend>(
    std::size_t shard, SegmentListPointer rows, const TermWeighting& weighting)>;

/// A backend of a mirror that is too large for one device: each of `shards` devices has some of the
/// rows, about as many entries each. It answers as one backend of all rows does, to the last bit:
/// - all shards have the same terms and weights, and the scale of the longest row of all;
/// - each finds its k best, which are merged by similarity, then row;
/// - votes are counted on the host, in the order of the merged neighbors.
///
/// All shards work at the same time, if a call may have a thread for each: it has up to `threads`
/// (0 = one per core). refreshed() divides new segments of at least 4,096 rows among all shards;
/// smaller ones go to the shard with the fewest entries. If a shard fails, its error is thrown.
/// info() names all devices. The rest as make_backend().
/// @throws Error as `make`, and kInvalidArgument if `shards` is 0.
std::unique_ptr<const Backend> shard(SegmentListPointer mirror, const TermWeighting& weighting,
                                     std::size_t shards, std::size_t threads,
                                     const MakeShard& make);

}  // namespace kindred
