#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace kindred::cuda {

/// A tile holds at most this many documents. Two of their 16-bit accumulators share a word of
/// shared memory. With this many documents
/// - 16 bits hold the byte offset of a word and the bit that chooses its half;
/// - four blocks that search for few neighbors fit a multiprocessor of 228 KB;
/// - a search for kMaxNeighbors fits the 99 KB that a block may have on any device from compute
///   capability 8.6 on.
inline constexpr std::uint32_t kTileSlots = 23296;
inline constexpr std::uint32_t kPaddingWords = 32;
inline constexpr std::uint32_t kGroupSlots = 64;  ///< slots that share a pair of bounds
inline constexpr std::uint32_t kChunk = 8;        ///< postings in a 16-byte load

/// An inverted index of up to kTileSlots documents.
/// - Documents are sorted by length when a tile is made. So the documents of a group of kGroupSlots
///   have nearly the same reciprocal length, or the one that all have, and the group's bounds stand
///   for all of them.
/// - Term t's runs are runs[term_runs[t]] .. runs[term_runs[t + 1]], by ascending counts: {first
///   chunk, chunks of the rest << 24 | sets << 16 | count}. A run is of one count, or mixed: of
///   several counts that few documents have.
/// - A posting is the byte offset 4 * (slot / 2) of its accumulator's word.
/// - The slots of a chunk are all even or all odd: bit 0 of its first posting is slot % 2.
/// - A chunk with too few postings is filled up with padding words.
/// - gpu/cuda/device/chunk_layout.cuh has the order of the postings in a run, and mixed runs.
struct TileView {
  static constexpr std::uint32_t kMostEntries = 65535;  ///< that are told apart

  const std::uint32_t* term_runs;  ///< [terms + 1]
  const uint2* runs;
  const uint4* chunks;
  const std::uint32_t* row_of;  ///< [slots] row of the segment
  /// [groups] {1 / largest r_d, smallest r_d}, in units of 2^62 and 2^-62, rounded down.
  const float2* bounds;
  const std::uint16_t* most_entries;  ///< [groups] of a live document, at most kMostEntries
  /// [words() * 2] 1 / r_d in units of 2^62, rounded down; infinite for slots that never answer.
  const float* slot_length;
  double longest;  ///< length of the longest document, dead or not, in units of 2^-s
  float middle;    ///< length of the shortest live document of group groups / 2, in 2^(62 - s)
  std::uint32_t terms;
  std::uint32_t slots;
  std::uint32_t first_slot;   ///< among the slots of all tiles; a multiple of kGroupSlots
  std::uint32_t first_place;  ///< of the segment

  __device__ std::uint32_t place_of(std::uint32_t slot) const { return first_place + row_of[slot]; }
  __device__ std::uint32_t words() const {
    return (slots + kGroupSlots - 1) / kGroupSlots * (kGroupSlots / 2);
  }
};

/// The rows of a segment, at consecutive places, with their numbers and labels, in CSR.
struct SegmentView {
  static constexpr std::uint8_t kLargeCount = 255;  ///< counts from here on are large

  std::uint32_t first_place;
  std::uint32_t rows;
  const std::uint64_t* row_begin;  ///< [rows + 1]
  const std::uint32_t* column;
  const std::uint8_t* count;          ///< kLargeCount: see large_count
  const std::uint16_t* large_count;   ///< large counts, in the order of their entries
  const std::uint32_t* large_bits;    ///< a bit for each entry, set where its count is large
  const std::uint32_t* large_before;  ///< how many are, before each word of large_bits
  const std::uint32_t* label_begin;   ///< [rows + 1], or null: no labels
  const std::uint32_t* label;
  const std::uint32_t* numbers;  ///< [rows] ascending, or null: 1, 2, ..

  /// The count of entry `at`.
  __device__ std::uint32_t count_of(std::uint64_t at) const;
  __device__ std::uint32_t number(std::uint32_t row) const {
    return numbers == nullptr ? row + 1 : numbers[row];
  }
  /// The first row that has at least this number; `rows` if there is none.
  __device__ std::uint32_t first_from(std::uint32_t wanted) const;
};

#ifdef __CUDACC__  // sources without kernels know views, but no intrinsics
inline __device__ std::uint32_t SegmentView::count_of(std::uint64_t at) const {
  const std::uint8_t own = __ldg(count + at);
  if (own != kLargeCount) return own;

  // A large count is found by rank: how many there are before its word, and before it in the word.
  const std::uint32_t before = __ldg(large_bits + at / 32) & ((1u << at % 32) - 1);
  return __ldg(large_count + (__ldg(large_before + at / 32) + __popc(before)));
}

inline __device__ std::uint32_t SegmentView::first_from(std::uint32_t wanted) const {
  const std::uint32_t least = number(0);
  if (wanted <= least) return 0;

  // As numbers ascend, no row behind this one has a smaller number. Often there are no gaps.
  std::uint32_t low = 0, high = min(wanted - least, rows);
  if (high < rows && number(high) == wanted) return high;

  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (number(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
#endif

/// Everything a kernel reads of a mirror. Rows are at places; queries and answers name them by the
/// numbers of their documents (gpu/segment_list.h).
struct MirrorView {
  const SegmentView* segments;
  const TileView* tiles;
  std::uint32_t segment_count;
  std::uint32_t tile_count;
  std::uint32_t places;
  std::uint32_t columns;
  const double* reciprocal;  ///< [places] r_d (gpu/scoring.h), 0 for dead places
  const double* idf;         ///< [columns]
  const double* tf;          ///< [tf_size]
  std::uint32_t tf_size;
  bool tf_ascends;              ///< no larger count weighs less
  bool has_mixed_runs;          ///< in a tile
  std::uint32_t largest_count;  ///< of any row, dead or not
  double scale;                 ///< 2^s

  SegmentView first_segment;  ///< segments[0], where kernels find it without a load

  __device__ std::uint32_t number_at(std::uint32_t place) const {
    const SegmentView segment = segment_of(place);
    return segment.number(place - segment.first_place);
  }
  /// The place of a neighbor, of which there must be one.
  __device__ std::uint32_t place_of(std::uint32_t number) const;

  /// The segment that holds the row at `place`.
  __device__ SegmentView segment_of(std::uint32_t place) const {
    if (segment_count == 1) return first_segment;
    // The last segment whose first place is at most `place`.
    std::uint32_t low = 0, high = segment_count;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (segments[middle].first_place <= place ? low : high) = middle;
    }
    return segments[low];
  }
};

#ifdef __CUDACC__
/// Where other segments have the number, its row is dead.
inline __device__ std::uint32_t MirrorView::place_of(std::uint32_t number) const {
  for (std::uint32_t i = segment_count; i-- > 1;) {
    const SegmentView& segment = segments[i];
    const std::uint32_t row = segment.first_from(number), place = segment.first_place + row;
    if (row < segment.rows && segment.number(row) == number && reciprocal[place] > 0) return place;
  }
  return first_segment.first_place + first_segment.first_from(number);
}
#endif

/// A batch of queries on the device, in CSR: offsets are relative to `base`.
struct QueryBatch {
  std::uint32_t rows;
  std::uint64_t base;
  const std::uint64_t* row_begin;
  const std::uint32_t* term;
  const double* factor;  ///< term_factor() of gpu/scoring.h, 0 for terms without weight
};

}  // namespace kindred::cuda
