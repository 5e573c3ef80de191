// Lengths of documents and what follows from them, after every change of N, df or rows.
// Floor: the forward rows once, 6 bytes per posting, over HBM's rate: 0.11 ms for 1 M documents of
// 76 terms; idf and tf come from L2. The other kernels touch 4 to 16 bytes per document.
// Shape: one warp per row, so that its entries load coalesced; it reads them twice, the second time
// from L1.
#include "gpu/cuda/device/lengths.cuh"

#include <algorithm>

#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/device/vector_length.cuh"
#include "gpu/scoring.h"

namespace kindred::cuda {
namespace {

__device__ bool is_set(const std::uint32_t* bits, std::uint32_t place) {
  return bits != nullptr && (bits[place / 32] >> place % 32 & 1) != 0;
}

/// Doubles that are not negative have the same order as their bits.
__device__ void raise_to(double* largest, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(largest),
            static_cast<unsigned long long>(__double_as_longlong(value)));
}

__global__ void measure_lengths_kernel(MirrorView mirror, const std::uint32_t* dead, double* length,
                                       RowState* state) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t warps = gridDim.x * (kBlockThreads / 32);

  // Dead rows have a length, as their postings are added up, but they count neither for the scale
  // nor as faults.
  double largest = 0;
  std::uint32_t largest_count = 0;
  const std::uint32_t first = (blockIdx.x * kBlockThreads + threadIdx.x) / 32;
  for (std::uint32_t place = first; place < mirror.places; place += warps) {
    const SegmentView segment = mirror.segment_of(place);
    const std::uint64_t* const row_begin = segment.row_begin + (place - segment.first_place);

    // A count beyond the table is weighed as 0 and reported.
    std::uint32_t beyond = 0;
    const double own = vector_length<WarpLanes>(row_begin[0], row_begin[1], [&](std::uint64_t i) {
      const std::uint32_t count = segment.count_of(i);
      if (count < mirror.tf_size) return mirror.tf[count] * mirror.idf[segment.column[i]];
      beyond = max(beyond, count);
      return 0.0;
    });

    if (lane == 0) length[place] = own;

    if (is_set(dead, place)) continue;
    largest = isfinite(own) ? fmax(largest, own) : INFINITY;
    largest_count = max(largest_count, beyond);
  }

  // Values of a warp's rows are joined before they reach memory that all share.
  if (lane == 0) raise_to(&state->longest, largest);
  if (largest_count > 0) atomicMax(&state->largest_count, largest_count);
}

__global__ void invert_lengths_kernel(const double* length, const std::uint32_t* dead,
                                      std::uint32_t places, double common, double unit,
                                      double* reciprocal) {
  const std::uint32_t place = blockIdx.x * kBlockThreads + threadIdx.x;
  if (place >= places) return;
  const double dividing = dividing_length(length[place], common);
  reciprocal[place] = is_set(dead, place) ? 0 : reciprocal_length(dividing, unit);
}

/// How many entries the row at `place` has, as far as a tile tells.
__device__ std::uint32_t entries_at(const MirrorView& mirror, std::uint32_t place) {
  const SegmentView segment = mirror.segment_of(place);
  const std::uint64_t* const row_begin = segment.row_begin + (place - segment.first_place);
  const std::uint64_t entries = row_begin[1] - row_begin[0];
  return static_cast<std::uint32_t>(min(entries, std::uint64_t{TileView::kMostEntries}));
}

/// One block per tile; a warp takes one group at a time, a lane two slots.
__global__ void bound_tiles_kernel(MirrorView mirror, const double* length, SlotBounds to,
                                   TileState* states) {
  __shared__ TileState state;
  if (threadIdx.x == 0) state = {0, 0};
  __syncthreads();

  const TileView tile = mirror.tiles[blockIdx.x];
  const std::uint32_t first_group = tile.first_slot / kGroupSlots;
  float* slot_length = to.slot_length + tile.first_slot;
  const unsigned lane = threadIdx.x % 32;
  for (std::uint32_t group = threadIdx.x / 32; group * kGroupSlots < tile.slots;
       group += kBlockThreads / 32) {
    // Reciprocals are rounded up where a document must not be missed, and down where a bound must
    // not be exceeded (docs/scoring.md). Slots without a live document keep an infinite length,
    // which never answers, and leave the bounds alone.
    float most = 0;
    float fewest = INFINITY;
    float shortest = INFINITY;
    std::uint32_t entries = 0;
    for (std::uint32_t slot = group * kGroupSlots + lane; slot < (group + 1) * kGroupSlots;
         slot += 32) {
      slot_length[slot] = INFINITY;
      if (slot >= tile.slots) continue;

      const std::uint32_t place = tile.place_of(slot);
      raise_to(&state.longest, length[place]);

      // `most` is for what a document may reach, `fewest` for what it reaches at least.
      const double r = mirror.reciprocal[place];
      if (!(r > 0)) continue;
      slot_length[slot] = __frcp_rd(__double2float_ru(r * 0x1p62));
      most = fmaxf(most, __double2float_ru(r * 0x1p62));
      fewest = fminf(fewest, __double2float_rd(r * 0x1p62));
      shortest = fminf(shortest, __double2float_rd(length[place] * mirror.scale * 0x1p-62));
      entries = max(entries, entries_at(mirror, place));
    }

    // The bounds of the group are those of all lanes. Only the first lane has them all.
    entries = __reduce_max_sync(kWholeWarp, entries);
    for (unsigned stride = 16; stride > 0; stride /= 2) {
      most = fmaxf(most, __shfl_down_sync(kWholeWarp, most, stride));
      fewest = fminf(fewest, __shfl_down_sync(kWholeWarp, fewest, stride));
      shortest = fminf(shortest, __shfl_down_sync(kWholeWarp, shortest, stride));
    }

    if (lane != 0) continue;
    to.bounds[first_group + group] = {__frcp_rd(most), most > 0 ? fewest : 0};
    if (group == tile.words() / kGroupSlots) state.middle = shortest;
    to.most_entries[first_group + group] = static_cast<std::uint16_t>(entries);
  }

  __syncthreads();
  if (threadIdx.x == 0) states[blockIdx.x] = state;
}

__global__ void gather_slot_bits_kernel(const TileView* tiles, const std::uint32_t* places,
                                        const double* reciprocal, std::uint32_t* slot_bits) {
  const TileView tile = tiles[blockIdx.x];
  const std::uint32_t end = tile.words() * 2;
  for (std::uint32_t slot = threadIdx.x; slot < end; slot += kBlockThreads) {
    // A slot is in if its place is and, where reciprocals are given, if it is alive.
    bool is_in = slot < tile.slots;
    if (is_in) {
      const std::uint32_t place = tile.place_of(slot);
      if (places != nullptr && !is_set(places, place)) is_in = false;
      if (reciprocal != nullptr && !(reciprocal[place] > 0)) is_in = false;
    }

    const unsigned bits = __ballot_sync(kWholeWarp, is_in);  // `end` is a multiple of 32
    if (slot % 32 == 0) slot_bits[(tile.first_slot + slot) / 32] = bits;
  }
}

}  // namespace

RowState measure_lengths(const DevicePointer& device, const MirrorView& mirror,
                         const std::uint32_t* dead, double* length) {
  if (mirror.places == 0) return {};

  DeviceBuffer<RowState> state(device, 1);
  const cudaStream_t stream = device->stream();
  cuda_check(cudaMemsetAsync(state.data(), 0, state.bytes(), stream), "lengths");

  // A warp takes many rows where there are more rows than warps.
  const unsigned blocks = std::min(blocks_for(mirror.places, kBlockThreads / 32), 65536u);
  measure_lengths_kernel<<<blocks, kBlockThreads, 0, stream>>>(mirror, dead, length, state.data());
  launch_check("measure_lengths_kernel");

  return fetch(device, state.data());
}

void invert_lengths(const double* length, const std::uint32_t* dead, std::uint32_t places,
                    double common, double unit, double* reciprocal, cudaStream_t stream) {
  if (places == 0) return;
  invert_lengths_kernel<<<blocks_for(places), kBlockThreads, 0, stream>>>(length, dead, places,
                                                                          common, unit, reciprocal);
  launch_check("invert_lengths_kernel");
}

std::vector<TileState> bound_tiles(const DevicePointer& device, const MirrorView& mirror,
                                   const double* length, const SlotBounds& to) {
  if (mirror.tile_count == 0) return {};
  DeviceBuffer<TileState> states(device, mirror.tile_count);
  bound_tiles_kernel<<<mirror.tile_count, kBlockThreads, 0, device->stream()>>>(mirror, length, to,
                                                                                states.data());
  launch_check("bound_tiles_kernel");
  return download(*device, states.data(), states.size(), "bounds");
}

void gather_slot_bits(const MirrorView& mirror, const std::uint32_t* places,
                      const double* reciprocal, std::uint32_t* slot_bits, cudaStream_t stream) {
  if (mirror.tile_count == 0) return;
  gather_slot_bits_kernel<<<mirror.tile_count, kBlockThreads, 0, stream>>>(mirror.tiles, places,
                                                                           reciprocal, slot_bits);
  launch_check("gather_slot_bits_kernel");
}

}  // namespace kindred::cuda
