#pragma once

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/device/list_places.cuh"

// Gives the postings of lists their places (chunk_layout.cuh), and puts them into their chunks.

namespace kindred::cuda {

inline constexpr unsigned kFillThreads = 256;

inline __device__ std::uint32_t excess(std::uint32_t value, std::uint32_t limit) {
  return max(value, limit) - limit;
}

/// 32 buckets. Some are wanted by more items than they hold, others are left with gaps.
struct Buckets {
  std::uint32_t wanted[32];
  std::uint32_t over_before[32];  // in the buckets before each
  std::uint32_t gaps_before[32];
  std::uint32_t over;  // in all
  std::uint32_t gaps;

  /// By a warp, one bucket per lane.
  __device__ void set(std::uint32_t want, std::uint32_t room) {
    const unsigned lane = threadIdx.x % 32;
    wanted[lane] = want;
    over_before[lane] = sum_before(excess(want, room));
    gaps_before[lane] = sum_before(excess(room, want));

    // The last lane has the sums over all.
    if (lane == 31) over = over_before[31] + excess(want, room);
    if (lane == 31) gaps = gaps_before[31] + excess(room, want);
    __syncwarp();
  }

  /// The bucket of gap number `gap`, and the number of the item that is missing there.
  __device__ uint2 find_gap(std::uint32_t gap) const {
    std::uint32_t bucket = 0;  // the last with at most `gap` gaps before it
    for (std::uint32_t step = 16; step > 0; step /= 2) {
      if (gaps_before[bucket + step] <= gap) bucket += step;
    }
    return {bucket, wanted[bucket] + gap - gaps_before[bucket]};
  }
};

/// A place in a list: the number of a posting in its sets, or in its rest.
struct ListPosition {
  bool is_rest;
  std::uint32_t number;
};

/// One warp's work on one list:
/// 1. Each bank's postings go to the bank's chunks of the sets.
/// 2. Postings that find no room there fill the gaps of the sets, bank after bank.
/// 3. What is then left goes to the rest.
class ListFiller {
 public:
  struct Shared {
    Buckets banks;
    Buckets places;
    std::uint32_t asked[kBanks];       // postings that have asked for a position
    std::uint32_t place_rank[kBanks];  // in its place, of a bank's first posting in the rest
  };

  __device__ ListFiller(Shared& shared, const std::uint16_t* posting, std::uint32_t size,
                        RestPlaces places)
      : shared_(shared), places_(places), bank_room_(ListShape::of(size).sets * kChunk) {
    // Counts how many postings each bank has.
    const unsigned lane = threadIdx.x % 32;
    shared.asked[lane] = 0;
    __syncwarp();
    for (std::uint32_t i = lane; i < size; i += 32)
      atomicAdd(&shared.asked[bank_of(posting[i])], 1u);
    __syncwarp();

    // What does not fit a bank's chunks fills the gaps of others, bank after bank. What is over
    // when these are full goes to the rest.
    const std::uint32_t wanted = shared.asked[lane];
    shared.banks.set(wanted, bank_room_);
    shared.asked[lane] = 0;

    const std::uint32_t over = excess(wanted, bank_room_);
    const std::uint32_t in_gaps = excess(shared.banks.gaps, shared.banks.over_before[lane]);
    set_places(excess(over, in_gaps));
  }

  /// The position of a posting of the list. Each posting asks once.
  __device__ ListPosition give(std::uint16_t posting) {
    // First choice: the bank's own chunks of the sets.
    const std::uint32_t bank = bank_of(posting);
    const std::uint32_t rank = atomicAdd(&shared_.asked[bank], 1u);
    if (rank < bank_room_) return in_sets({bank, rank});

    // Second: a gap in the sets. Postings that are over are numbered through all banks, and so are
    // gaps.
    const std::uint32_t before = shared_.banks.over_before[bank];
    const std::uint32_t over = before + rank - bank_room_;
    if (over < shared_.banks.gaps) return in_sets(shared_.banks.find_gap(over));

    // Third: the place of the bank in the rest. It takes the postings of its banks one after the
    // other.
    const std::uint32_t place = places_.of_bank(bank);
    const std::uint32_t room = places_.room(place);
    const std::uint32_t item = shared_.place_rank[bank] + over - max(before, shared_.banks.gaps);
    if (item < room) return {true, places_.position(place, item)};

    // Last: a gap in the rest.
    const uint2 gap = shared_.places.find_gap(shared_.places.over_before[place] + item - room);
    return {true, places_.position(gap.x, gap.y)};
  }

  /// How many positions no posting asks for.
  __device__ std::uint32_t padding() const { return set_padding() + rest_padding(); }

  /// Number `i` of them. Sets `bank` to the best bank for its padding word.
  __device__ ListPosition padding_position(std::uint32_t i, std::uint32_t& bank) const {
    // The gaps of the sets that are left come first, then those of the rest.
    if (i < set_padding()) {
      const uint2 gap = shared_.banks.find_gap(shared_.banks.over + i);
      bank = gap.x;
      return in_sets(gap);
    }

    const uint2 gap = shared_.places.find_gap(shared_.places.over + i - set_padding());
    bank = places_.bank(gap.x);
    return {true, places_.position(gap.x, gap.y)};
  }

 private:
  static __device__ ListPosition in_sets(uint2 item) {
    return {false, (item.y / kChunk * kSetChunks + item.x) * kChunk + item.y % kChunk};
  }

  __device__ std::uint32_t set_padding() const {
    return excess(shared_.banks.gaps, shared_.banks.over);
  }
  __device__ std::uint32_t rest_padding() const {
    return shared_.places.gaps - shared_.places.over;
  }

  /// `rest`: how many postings this lane's bank has in the rest. The banks that share a place have
  /// the same turn, so they are kChunk apart.
  __device__ void set_places(std::uint32_t rest) {
    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t own_place = places_.of_bank(lane);
    std::uint32_t rank = 0;
    std::uint32_t wanted = 0;

    // Each lane needs two sums: how many postings of earlier banks share its bank's place, and how
    // many in all are for the place of its own number. All lanes take part in each shuffle.
    const auto rest_of = [&](std::uint32_t bank) {
      return __shfl_sync(kWholeWarp, rest, static_cast<int>(bank));
    };
    for (std::uint32_t of_turn = 0; of_turn < kBanks; of_turn += kChunk) {
      const std::uint32_t before = of_turn + lane % kChunk;
      const std::uint32_t here = of_turn + lane / kGroupLanes;
      const std::uint32_t rest_before = rest_of(before);
      const std::uint32_t rest_here = rest_of(here);
      if (before < lane && places_.of_bank(before) == own_place) rank += rest_before;
      if (places_.of_bank(here) == lane) wanted += rest_here;
    }

    shared_.place_rank[lane] = rank;
    shared_.places.set(wanted, places_.room(lane));
  }

  Shared& shared_;
  RestPlaces places_;
  std::uint32_t bank_room_;
};

/// A list and where it goes. A run is the sets of its even list, then those of its odd list, then
/// the rests of both.
struct ListTarget {
  const std::uint16_t* posting;
  std::uint32_t size;
  bool is_odd;
  RestPlaces places;  // of its rest
  std::uint16_t* sets;
  std::uint16_t* rest;
  std::uint32_t padding;  // the first padding word of its tile

  /// Puts a posting or a padding word at its place in the sets or in the rest. The first posting of
  /// a chunk also gets the parity.
  __device__ void put(ListPosition at, std::uint32_t offset) const {
    if (at.number % kChunk == 0 && is_odd) offset |= 1;
    std::uint16_t* const chunks = at.is_rest ? rest : sets;
    chunks[at.number] = static_cast<std::uint16_t>(offset);
  }
};

/// The lists of a group of tiles.
template <typename Key>
struct ListTargets {
  const Key* key;
  const std::uint32_t* length;
  MixedLists mixed;
  ListPlaces places;
  std::uint32_t lists;
  std::uint32_t rows;
  KeyLayout<Key> layout;
  const std::uint16_t* posting;
  std::uint16_t* chunk;

  __device__ ListTarget of(std::uint32_t list) const {
    const ParityLists run = ParityLists::of(key, length, list, lists);

    // A run may have a list of even slots, one of odd slots, or both. Places are those of the run,
    // of which the even list comes first.
    const bool is_odd = (key[list] & 1) != 0;
    const bool is_second = is_odd && run.even.chunks() > 0;
    ListShape own = run.even;
    ListShape before{0, 0};  // the list of the run that comes before this one
    if (is_odd) {
      own = run.odd;
      before = run.even;
    }

    // The sets of both lists come before the rests of both.
    const std::uint32_t begin = places.first_chunk(is_second ? list - 1 : list, run);
    const std::uint32_t sets = begin + before.sets * kSetChunks;
    const std::uint32_t rest = begin + run.sets() * kSetChunks + before.rest;

    // The lanes of a group take the chunks of both rests in turn, so the first chunk of an odd list
    // is not always the first lane's.
    return {posting + places.before[list].postings,
            length[list],
            is_odd,
            {own.rest, before.rest % kGroupLanes},
            chunk + std::uint64_t{sets} * kChunk,
            chunk + std::uint64_t{rest} * kChunk,
            padding(list)};
  }

  /// The first padding word of a list's tile.
  __device__ std::uint32_t padding(std::uint32_t list) const {
    const std::uint32_t slots = min(rows - layout.tile(key[list]) * kTileSlots, kTileSlots);
    return (slots + kGroupSlots - 1) / kGroupSlots * (kGroupSlots / 2);
  }

  /// By one thread: fills the chunks of a mixed run, given its first list.
  __device__ void fill_mixed(std::uint32_t first) const {
    const ListGroup group = ListGroup::of(key, length, first, lists, layout);
    std::uint64_t chunk_number = std::uint64_t{places.aligned} + places.before[first].loose;
    MixedPosting* to = reinterpret_cast<MixedPosting*>(chunk + chunk_number * kChunk);
    MixedPosting* const end = to + group.chunks() * kMixedPostings;

    // Lists ascend by count, so the postings of the run do, too.
    const std::uint16_t* from = posting + places.before[first].postings;
    for (std::uint32_t list = first; list < first + group.lists; ++list) {
      const bool is_odd = (key[list] & 1) != 0;
      for (std::uint32_t i = 0; i < length[list]; ++i) {
        *to = MixedPosting::of(layout.count(key[list]), *from, is_odd);
        ++to;
        ++from;
      }
    }

    // Padding goes to a word that no document has, with a count of 0.
    for (; to < end; ++to) *to = MixedPosting::of(0, padding(first) * 4, false);
  }
};

/// By one thread: fills the chunk of a list that needs only one. Most lists do.
inline __device__ void fill_chunk(const ListTarget& list) {
  std::uint32_t taken = 0;  // positions
  std::uint32_t over = 0;   // postings whose position was taken
  std::uint64_t half[2] = {list.is_odd ? 1u : 0u, 0};

  // The chunk is put together in two words of 64 bits and stored at once, since it lies in memory.
  const auto put = [&](std::uint32_t position, std::uint32_t offset) {
    taken |= 1u << position;
    const std::uint64_t bits = std::uint64_t{offset} << position % 4 * 16;
    if (position < kChunk / 2)
      half[0] |= bits;
    else
      half[1] |= bits;
  };

  // Each posting takes the turn of its bank, if that is free.
  for (std::uint32_t i = 0; i < list.size; ++i) {
    const std::uint32_t place = list.places.of_bank(bank_of(list.posting[i]));
    const std::uint32_t position = list.places.position(place, 0);
    if ((taken >> position & 1) != 0)
      over |= 1u << i;
    else
      put(position, list.posting[i]);
  }

  // The others take what is free, from the first on.
  for (; over != 0; over &= over - 1) {
    const std::uint32_t free = __ffs(static_cast<int>(~taken)) - 1;
    put(free, list.posting[__ffs(static_cast<int>(over)) - 1]);
  }

  // Padding goes to the bank of the turn that it fills.
  for (std::uint32_t turn = 0; turn < kChunk; ++turn) {
    const std::uint32_t place = turn * kGroupLanes;
    const std::uint32_t position = list.places.position(place, 0);
    if ((taken >> position & 1) == 0) put(position, (list.padding + list.places.bank(place)) * 4);
  }

  *reinterpret_cast<ulonglong2*>(list.rest) = {half[0], half[1]};
}

/// By one warp: puts a list's postings where they have few conflicts (chunk_layout.cuh), and fills
/// the remaining gaps with padding words.
inline __device__ void fill_chunks(const ListTarget& list, ListFiller::Shared& shared) {
  const unsigned lane = threadIdx.x % 32;

  ListFiller filler(shared, list.posting, list.size, list.places);
  for (std::uint32_t i = lane; i < list.size; i += 32)
    list.put(filler.give(list.posting[i]), list.posting[i]);

  // Padding fills the positions that no posting has asked for, in each bank's own.
  for (std::uint32_t i = lane; i < filler.padding(); i += 32) {
    std::uint32_t bank = 0;
    const ListPosition position = filler.padding_position(i, bank);
    list.put(position, (list.padding + bank) * 4);
  }
}

/// One thread per list. Lists of several chunks are left to warps.
template <typename Key>
__global__ void fill_lists_kernel(ListTargets<Key> targets) {
  __shared__ ListFiller::Shared shared[kFillThreads / 32];
  __shared__ std::uint32_t large[kFillThreads];
  __shared__ std::uint32_t larges;
  if (threadIdx.x == 0) larges = 0;
  __syncthreads();

  // Most lists fill a chunk at most: a thread each. Long ones are noted for the warps.
  const std::uint32_t list = blockIdx.x * kFillThreads + threadIdx.x;
  if (list < targets.lists) {
    if (targets.mixed.has(list)) {
      if (ListGroup::begins(targets.key, list, targets.layout)) targets.fill_mixed(list);
    } else if (targets.length[list] <= kChunk) {
      fill_chunk(targets.of(list));
    } else {
      large[atomicAdd(&larges, 1u)] = list;
    }
  }

  __syncthreads();

  // Warps take the long lists in turn.
  for (std::uint32_t i = threadIdx.x / 32; i < larges; i += kFillThreads / 32) {
    __syncwarp();  // all are done with the list before
    fill_chunks(targets.of(large[i]), shared[threadIdx.x / 32]);
  }
}

}  // namespace kindred::cuda
