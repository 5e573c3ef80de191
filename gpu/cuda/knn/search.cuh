#pragma once

#include <algorithm>

#include "gpu/cuda/device/device.cuh"
#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/kernel_code.cuh"
#include "gpu/cuda/device/mirror_view.cuh"
#include "gpu/cuda/knn/query_argument.cuh"
#include "gpu/knn/backend.h"

namespace kindred::cuda {

inline constexpr std::uint32_t kMaxNeighbors =
    1024;  ///< of one search; for more, search again behind the last one

inline constexpr std::uint32_t kMostParts = 640;  ///< that a query may be cut into

inline constexpr std::uint32_t kLargestTeam = 8;   ///< blocks; every device with clusters has it
inline constexpr std::uint32_t kManyTerms = 1600;  ///< with more, a team answers a query of a batch
inline constexpr std::uint32_t kMostLong = 64;     ///< such queries of a launch
inline constexpr std::uint32_t kFewHard = 64;      ///< hard queries that teams answer

/// Numbers of the memory that the blocks of a team share: first for long items, then for hard ones.
inline constexpr std::uint32_t kTeamWorks = kMostLong + kFewHard;

/// A query of a batch, as a block takes it.
struct alignas(16) QueryItem {
  std::uint32_t begin;   ///< of its terms, among those of the batch
  std::uint32_t terms;   ///< how many
  std::uint32_t number;  ///< in the batch
};

/// How far the kernels of a launch have come with its items.
struct alignas(16) Progress {
  std::uint32_t taken;           ///< by blocks, after the first one of each
  std::uint32_t deferred;        ///< items that are left to the kernel for hard queries
  std::uint32_t deferred_taken;  ///< of these, after the first one of each block
  std::uint32_t answered;        ///< SearchJob::answered
};

/// One launch: every query against every part of the mirror (or of `rows`).
struct SearchJob {
  MirrorView mirror;
  QueryBatch queries;
  std::uint32_t k;                 ///< 1 .. kMaxNeighbors
  std::uint32_t parts;             ///< of a query, one block for each; 1 for a batch
  const std::uint32_t* slot_bits;  ///< the slots that may answer (gather_slot_bits), or null: all
  const std::uint32_t* rows;       ///< places of rows to score one by one instead of tiles, or null
  std::uint32_t row_count;

  const std::uint32_t* part_begin;  ///< [parts + 1] places of a scan; null: in equal numbers

  unsigned long long*
      after;  ///< [queries] or null. In: answers begin behind this key; out: the last answer's key
  Neighbor* neighbors;  ///< [queries, k], device or mapped host memory; null when voting

  const std::uint32_t* exclude;  ///< [queries] a document that may not vote, or null
  std::uint32_t labels;          ///< shares wanted per query
  LabelShare* shares;            ///< [queries, labels], or null: no vote

  /// Counts answers, in device or mapped host memory: whoever writes the answer of a query adds 1.
  /// The host holds it against what it asked for. Null for a single query, of which the host
  /// watches every word.
  unsigned* answered;
  std::uint32_t skipped;  ///< in builds with checks, a query that is not answered, or kNoQuery

  // Where parts == 1 and there are tiles to search.
  const QueryItem* items;    ///< [queries] the costliest first; null elsewhere
  std::uint32_t long_items;  ///< the first of them, which clusters answer; at most kMostLong
  std::uint32_t few_hard;    ///< up to so many hard ones are answered by clusters, too
  Progress* progress;        ///< all 0 before a launch
  std::uint32_t* deferred;   ///< [queries] numbers of items

  // For parts > 1 or few_hard > 0. `done` and `floor` are 0 before a launch and after it.
  unsigned long long* partial;  ///< [queries or kTeamWorks, parts or kLargestTeam, k]
  unsigned* done;               ///< [queries or kTeamWorks]
  unsigned* floor;  ///< [queries or kTeamWorks] bits of a similarity that k rows are known to reach
};

/// What the launcher needs to know of the tiles.
struct SearchShape {
  std::uint32_t sums_bytes = 0;  ///< of Block::sums, for any tile
  std::uint32_t blocks = 0;      ///< that the device holds at once, for batches of k neighbors
  std::size_t shared_bytes = 0;

  std::uint32_t most_parts() const { return std::min(blocks, kMostParts); }
};

/// Once per device, before the first search. Returns what all of the kernels have: that of the
/// least of them. @throws Error kUnsupported if this build has no code for the device; kDevice.
KernelCode enable_search(const Device& device);

/// @throws Error kUnsupported if the device has too little shared memory.
SearchShape shape_search(const Device& device, std::uint32_t largest_words, std::uint32_t k);

/// Answers all but the long items and those that turn out to be hard, which it counts and lists.
void search(const SearchJob& job, const SearchShape& shape, cudaStream_t stream);
/// Answers the hard items that search() has listed.
void search_hard(const SearchJob& job, const SearchShape& shape, cudaStream_t stream);
/// Answers the long items.
void search_long(const SearchJob& job, const SearchShape& shape, cudaStream_t stream);

static_assert(sizeof(SearchJob) + sizeof(OneQuery) < 4000);  // what a launch may carry

/// How many blocks work together on a tile for a single query. job.parts is a multiple of it.
std::uint32_t team_size(const KernelCode& code, const SearchShape& shape, std::uint32_t tiles);

/// Reads neither job.queries nor job.rows and job.after, which are null.
/// OwnQuery: ShortQuery, OneQuery or LongQuery.
template <typename OwnQuery>
void search_one(const SearchJob& job, const OwnQuery& query, std::uint32_t team,
                const SearchShape& shape, cudaStream_t stream);

/// How many pairs of neighbor and label of a query fit a block's memory, and how many distinct
/// labels among them. With more, the host counts the votes.
inline constexpr std::uint32_t kMaxVotes = 512;
inline constexpr std::uint32_t kMaxVotedLabels = 256;
inline constexpr std::uint32_t kVotableLabels = (1u << 22) - 1;  // numbers of labels stay below

}  // namespace kindred::cuda
