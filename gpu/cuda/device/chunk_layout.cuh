#pragma once

#include "gpu/cuda/device/mirror_view.cuh"

// Where the postings of a list go in its chunks. Lanes that add at the same time should use
// different banks of shared memory, because a warp's additions to one bank run one after the other.
// With postings in arbitrary order that took nearly half of a search's time.
//
// - Sets: as many chunks as possible are in sets of 32. A whole warp adds a set at once, one chunk
//   per lane. The postings of bank b are in chunk b.
// - Rest: groups of 4 lanes take the other chunks. The 8 groups of a warp take the 8 postings of
//   their chunks in different orders (add_up.cuh), so that no two groups are at the same number at
//   a time. The postings of bank b have number b % 8 in a chunk whose number in the run's rest is b
//   / 8, modulo 4.
// - Mixed runs: where a term has many counts and few documents of each, chunks of one count would
//   be nearly empty. Its postings share chunks of 4 words of 32 bits, each with its count, in the
//   order of these. They have no sets, and banks are not looked at: the term is rare.
//
// No list's postings are spread over the banks that evenly, but those of frequent lists nearly are
// (slot_spreader.cuh). Postings that find no place for their bank fill the gaps. The gaps are in
// the last rows, so most rows have no conflicts.

namespace kindred::cuda {

inline constexpr std::uint32_t kBanks = 32;
inline constexpr std::uint32_t kSetChunks = 32;
inline constexpr std::uint32_t kSetPostings = kSetChunks * kChunk;
inline constexpr std::uint32_t kGroupLanes = 4;  // that take consecutive chunks of the rest
inline constexpr std::uint32_t kChunkWords = 4;  // of two postings each
static_assert(kGroupLanes * kChunk == kBanks);

inline __device__ std::uint32_t bank_of(std::uint32_t posting) { return posting / 4 % kBanks; }

/// How a list is cut into sets and a rest. What fills at least half a set becomes a set.
struct ListShape {
  std::uint32_t sets;
  std::uint32_t rest;  // chunks

  static __device__ ListShape of(std::uint32_t postings) {
    const std::uint32_t sets = (postings + kSetPostings / 2) / kSetPostings;
    const std::uint32_t in_sets = sets * kSetPostings;
    return {sets, postings > in_sets ? (postings - in_sets + kChunk - 1) / kChunk : 0};
  }
  __device__ std::uint32_t chunks() const { return sets * kSetChunks + rest; }
};

inline constexpr std::uint32_t kMixedPostings = 4;      // in a chunk of a mixed run
inline constexpr std::uint32_t kMostMixedChunks = 127;  // of a run
inline constexpr std::uint32_t kIsMixed = 128;          // beside the number of chunks

/// A posting of a mixed run. Bit 0 says in which half of its word the document is.
struct MixedPosting {
  std::uint32_t packed;

  static __device__ MixedPosting of(std::uint32_t count, std::uint32_t posting, bool is_odd) {
    return {count << 16 | posting | (is_odd ? 1 : 0)};
  }
  __device__ std::uint32_t count() const { return packed >> 16; }
  __device__ std::uint32_t word() const { return packed & 0xFFFC; }
  __device__ std::uint32_t half() const { return packed & 1; }
};

/// What the tile holds about a run besides its first chunk.
struct RunShape {
  std::uint32_t packed;

  static __device__ RunShape of(std::uint32_t count, std::uint32_t sets, std::uint32_t rest) {
    static_assert(kTileSlots / kSetPostings < 256 && 2 * kSetChunks < kIsMixed);
    return {rest << 24 | sets << 16 | count};
  }
  static __device__ RunShape mixed(std::uint32_t largest_count, std::uint32_t chunks) {
    return {(chunks | kIsMixed) << 24 | largest_count};
  }
  __device__ bool is_mixed() const { return packed >> 31 != 0; }
  /// Of its postings; the largest of a mixed run.
  __device__ std::uint32_t count() const { return packed & 0xFFFF; }
  __device__ std::uint32_t sets() const { return packed >> 16 & 0xFF; }
  /// Chunks; of a mixed run also kIsMixed.
  __device__ std::uint32_t rest() const { return packed >> 24; }
};

/// The places for the rest of a list. A place is one turn of every 4th chunk, or, if there are
/// fewer than 4 chunks, one turn of one chunk. Turns 0 .. 3 are the lower halves of a chunk's
/// words, 4 .. 7 the upper halves.
struct RestPlaces {
  std::uint32_t chunks;
  std::uint32_t first_lane;  // of a group: the lane that takes the first chunk

  __device__ std::uint32_t of_bank(std::uint32_t bank) const {
    // With all lanes of a group at work, a bank has the chunks of one lane. Fewer than four chunks
    // are shared by the lanes in equal parts.
    const std::uint32_t lane = bank / kChunk;
    const std::uint32_t row = chunks < kGroupLanes
                                  ? lane * chunks / kGroupLanes
                                  : (lane + kGroupLanes - first_lane) % kGroupLanes;
    return bank % kChunk * kGroupLanes + row;
  }
  /// How many postings a place holds.
  __device__ std::uint32_t room(std::uint32_t place) const {
    const std::uint32_t row = place % kGroupLanes;
    return row < chunks ? (chunks - row + kGroupLanes - 1) / kGroupLanes : 0;
  }
  /// The position of a place's `i`-th posting, counted in postings.
  __device__ std::uint32_t position(std::uint32_t place, std::uint32_t i) const {
    const std::uint32_t chunk = place % kGroupLanes + i * kGroupLanes, turn = place / kGroupLanes;
    return chunk * kChunk + turn % kChunkWords * 2 + turn / kChunkWords;
  }
  /// The bank that only this place's lane and turn use.
  __device__ std::uint32_t bank(std::uint32_t place) const {
    return (place % kGroupLanes + first_lane) % kGroupLanes * kChunk + place / kGroupLanes;
  }
};

}  // namespace kindred::cuda
