#pragma once

#include "gpu/cuda/device/chunk_layout.cuh"
#include "gpu/cuda/device/launch.cuh"

// How the builder of tiles gives the postings of a list their places (chunk_layout.cuh).

namespace kindred::cuda {

/// The sum of `value` over the lanes before this one.
inline __device__ std::uint32_t sum_before(std::uint32_t value) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t sum = value;
  for (unsigned stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t more = __shfl_up_sync(kWholeWarp, sum, stride);
    if (lane >= stride) sum += more;
  }
  return sum - value;
}

inline __device__ std::uint32_t excess(std::uint32_t value, std::uint32_t limit) {
  return value > limit ? value - limit : 0;
}

/// 32 buckets. Some are wanted by more items than they hold, others are left with gaps.
struct Buckets {
  std::uint32_t wanted[32];
  std::uint32_t over_before[32], gaps_before[32];  // in the buckets before each
  std::uint32_t over, gaps;                        // in all

  /// By a warp, one bucket per lane.
  __device__ void set(std::uint32_t want, std::uint32_t room) {
    const unsigned lane = threadIdx.x % 32;
    wanted[lane] = want;
    over_before[lane] = sum_before(excess(want, room));
    gaps_before[lane] = sum_before(excess(room, want));
    if (lane == 31) over = over_before[31] + excess(want, room);
    if (lane == 31) gaps = gaps_before[31] + excess(room, want);
    __syncwarp();
  }

  /// The bucket of gap number `gap`, and the number of the item that is missing there.
  __device__ uint2 find_gap(std::uint32_t gap) const {
    std::uint32_t bucket = 0;  // the last with at most `gap` gaps before it
    for (std::uint32_t step = 16; step > 0; step /= 2)
      if (gaps_before[bucket + step] <= gap) bucket += step;
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
    Buckets banks, places;
    std::uint32_t asked[kBanks];       // postings that have asked for a position
    std::uint32_t place_rank[kBanks];  // in its place, of a bank's first posting in the rest
  };

  __device__ ListFiller(Shared& shared, const std::uint16_t* posting, std::uint32_t size,
                        RestPlaces places)
      : shared_(shared), places_(places), bank_room_(ListShape::of(size).sets * kChunk) {
    const unsigned lane = threadIdx.x % 32;
    shared.asked[lane] = 0;
    __syncwarp();
    for (std::uint32_t i = lane; i < size; i += 32)
      atomicAdd(&shared.asked[bank_of(posting[i])], 1u);
    __syncwarp();
    const std::uint32_t wanted = shared.asked[lane];
    shared.banks.set(wanted, bank_room_);
    shared.asked[lane] = 0;
    const std::uint32_t over = excess(wanted, bank_room_);
    const std::uint32_t in_gaps = excess(shared.banks.gaps, shared.banks.over_before[lane]);
    set_places(excess(over, in_gaps));
  }

  /// The position of a posting of the list. Each posting asks once.
  __device__ ListPosition give(std::uint16_t posting) {
    const std::uint32_t bank = bank_of(posting), rank = atomicAdd(&shared_.asked[bank], 1u);
    if (rank < bank_room_) return in_sets({bank, rank});
    const std::uint32_t before = shared_.banks.over_before[bank];
    const std::uint32_t over = before + rank - bank_room_;
    if (over < shared_.banks.gaps) return in_sets(shared_.banks.find_gap(over));
    const std::uint32_t place = places_.of_bank(bank), room = places_.room(place);
    const std::uint32_t item = shared_.place_rank[bank] + over - max(before, shared_.banks.gaps);
    if (item < room) return {true, places_.position(place, item)};
    const uint2 gap = shared_.places.find_gap(shared_.places.over_before[place] + item - room);
    return {true, places_.position(gap.x, gap.y)};
  }

  /// How many positions no posting asks for.
  __device__ std::uint32_t padding() const { return set_padding() + rest_padding(); }

  /// Number `i` of them. Sets `bank` to the best bank for its padding word.
  __device__ ListPosition padding_position(std::uint32_t i, std::uint32_t& bank) const {
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
    std::uint32_t rank = 0, wanted = 0;
    const auto rest_of = [&](std::uint32_t bank) {
      return __shfl_sync(kWholeWarp, rest, static_cast<int>(bank));
    };
    for (std::uint32_t of_turn = 0; of_turn < kBanks; of_turn += kChunk) {
      const std::uint32_t before = of_turn + lane % kChunk, here = of_turn + lane / kGroupLanes;
      const std::uint32_t rest_before = rest_of(before), rest_here = rest_of(here);
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

}  // namespace kindred::cuda
