#pragma once

#include "gpu/cuda/device/chunk_layout.cuh"

// Where the lists of a group of tiles begin, once postings are in the order of their keys and the
// lengths of lists are known.

namespace kindred::cuda {

constexpr int kGroupBits = 10;  // of the count and the parity

/// How a posting becomes a sortable key: from the top bit down tile, term, count and parity of the
/// slot.
/// - Postings with equal keys are a list, which fills chunks of its own.
/// - Lists whose keys differ only in the parity are a run.
/// - Lists whose keys differ only in the parity and the lowest bits of the count are a group, which
///   may be one mixed run instead (MixedLists).
///
/// Key is the narrowest unsigned type that holds the key, since sorting is most of the work.
template <typename Key>
struct KeyLayout {
  int count_bits;
  int term_bits;

  __device__ Key key(std::uint32_t tile, std::uint32_t term, std::uint32_t count,
                     std::uint32_t parity) const {
    return (((Key{tile} << term_bits | term) << count_bits) | count) << 1 | parity;
  }
  __device__ std::uint32_t tile(Key key) const {
    return static_cast<std::uint32_t>(key >> (term_bits + count_bits + 1));
  }
  __device__ std::uint32_t count(Key key) const {
    return static_cast<std::uint32_t>(key >> 1 & ((1u << count_bits) - 1));
  }
  /// Equal for the lists of a group.
  __device__ Key group(Key key) const { return key >> min(kGroupBits, count_bits + 1); }
};

/// The lists of a group, from its first.
struct ListGroup {
  static constexpr std::uint32_t kManyLists = 8;
  static constexpr std::uint32_t kFewPostings = 6;  ///< for each list

  std::uint32_t lists;
  std::uint32_t postings;

  template <typename Key>
  static __device__ ListGroup of(const Key* key, const std::uint32_t* length, std::uint32_t first,
                                 std::uint32_t lists, KeyLayout<Key> layout) {
    ListGroup group{0, 0};
    std::uint32_t i = first;
    while (i < lists && layout.group(key[i]) == layout.group(key[first])) {
      group.postings += length[i];
      ++i;
    }
    group.lists = i - first;
    return group;
  }
  template <typename Key>
  static __device__ bool begins(const Key* key, std::uint32_t list, KeyLayout<Key> layout) {
    return list == 0 || layout.group(key[list]) != layout.group(key[list - 1]);
  }
  __device__ std::uint32_t chunks() const {
    return (postings + kMixedPostings - 1) / kMixedPostings;
  }
  /// True if its lists are many and short.
  __device__ bool is_split() const {
    return lists >= kManyLists && postings <= kFewPostings * lists && chunks() <= kMostMixedChunks;
  }
};

/// Which lists are in mixed runs: those of groups of many short lists, if most lists are. Text has
/// few such groups, and is searched faster without mixed runs.
struct MixedLists {
  const std::uint8_t* is_candidate;  ///< [lists] 1 where the group has many short lists
  const std::uint32_t* candidates;   ///< how many are
  std::uint32_t lists;

  __device__ bool has(std::uint32_t list) const {
    return is_candidate[list] != 0 && *candidates > lists / 2;
  }
};

/// A run's lists: one of even slots, one of odd slots, or only one of these.
struct ParityLists {
  ListShape even{};
  ListShape odd{};

  /// The run of list number `list`.
  template <typename Key>
  static __device__ ParityLists of(const Key* key, const std::uint32_t* length, std::uint32_t list,
                                   std::uint32_t lists) {
    ParityLists run;

    // The list may be the only one of its run, or have the other next to it, as keys differ only in
    // the parity.
    const bool is_odd = (key[list] & 1) != 0;
    if (is_odd) {
      run.odd = ListShape::of(length[list]);
      if (list > 0 && key[list] == (key[list - 1] | 1)) run.even = ListShape::of(length[list - 1]);
    } else {
      run.even = ListShape::of(length[list]);
      if (list + 1 < lists && key[list + 1] == (key[list] | 1))
        run.odd = ListShape::of(length[list + 1]);
    }
    return run;
  }
  __device__ std::uint32_t sets() const { return even.sets + odd.sets; }
  __device__ std::uint32_t rest() const { return even.rest + odd.rest; }
  __device__ std::uint32_t chunks() const { return even.chunks() + odd.chunks(); }
  /// True if the run begins at a cache line, so that what lanes load together is in as few lines as
  /// possible. Most runs are smaller and do not, which saves memory.
  __device__ bool is_aligned() const { return chunks() >= kGroupLanes; }
};

constexpr std::uint32_t kLineChunks = 8;  // 128 bytes

/// What lists take up:
/// - aligned: chunks of aligned runs, which come first;
/// - loose: chunks of the other runs, also of mixed ones;
/// - runs: each is counted with its first list;
/// - postings.
struct alignas(16) Space {
  std::uint32_t aligned;
  std::uint32_t loose;
  std::uint32_t runs;
  std::uint32_t postings;

  __host__ __device__ Space operator+(const Space& other) const {
    return {aligned + other.aligned, loose + other.loose, runs + other.runs,
            postings + other.postings};
  }
};

/// The space of list number `i`.
template <typename Key>
struct MeasureList {
  const Key* key;
  const std::uint32_t* length;
  MixedLists mixed;
  std::uint32_t lists;
  KeyLayout<Key> layout;

  __device__ Space operator()(std::uint32_t i) const {
    if (i >= lists) return {};

    // The chunks of a mixed run count with the first list of its group, those of another run with
    // the first of its two.
    if (mixed.has(i)) {
      if (!ListGroup::begins(key, i, layout)) return {0, 0, 0, length[i]};
      return {0, ListGroup::of(key, length, i, lists, layout).chunks(), 1, length[i]};
    }

    if (i > 0 && key[i] >> 1 == key[i - 1] >> 1) return {0, 0, 0, length[i]};
    const ParityLists run = ParityLists::of(key, length, i, lists);

    if (!run.is_aligned()) return {0, run.chunks(), 1, length[i]};
    return {(run.chunks() + kLineChunks - 1) / kLineChunks * kLineChunks, 0, 1, length[i]};
  }
};

/// Where lists begin: the space of the lists before each, and the chunks of all aligned runs.
struct ListPlaces {
  const Space* before;
  std::uint32_t aligned;

  /// The first chunk of a run whose first list is number `list`.
  __device__ std::uint32_t first_chunk(std::uint32_t list, const ParityLists& run) const {
    if (run.is_aligned()) return before[list].aligned;
    return aligned + before[list].loose;
  }
};

}  // namespace kindred::cuda
