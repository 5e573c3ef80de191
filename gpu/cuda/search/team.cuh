#pragma once

#include "gpu/cuda/search/search_block.cuh"

// The blocks that search a tile together: one block, or, for a single query, the blocks of a
// cluster. They share out the postings. Then each takes a range of the slots and adds up what the
// others found there.

namespace kindred::cuda {

/// A block that works alone.
struct Alone {
  static constexpr bool kHasOneQuery = false;

  static __device__ std::uint32_t rank() { return 0; }
  static __device__ std::uint32_t size() { return 1; }
  __device__ void gather(const Block&, std::uint32_t, std::uint32_t) const {}
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// The blocks of a cluster (compute capability 9.0), which read each other's shared memory.
struct Cluster {
  static constexpr bool kHasOneQuery = true;  // nothing comes after its last tile

  static __device__ std::uint32_t rank() {
    std::uint32_t rank = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  static __device__ std::uint32_t size() {
    std::uint32_t size = 1;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
  }

  /// Adds the other blocks' sums of pieces [begin, end) to this block's. All threads of all blocks.
  /// The number of blocks is a power of two.
  __device__ void gather(const Block& block, std::uint32_t begin, std::uint32_t end) const {
    wait();
    const std::uint32_t own = rank(), blocks = size();
    const auto sums = static_cast<std::uint32_t>(__cvta_generic_to_shared(block.sums));
    for (std::uint32_t i = begin + threadIdx.x; i < end; i += kThreads) {
      uint4 sum = reinterpret_cast<const uint4*>(block.sums)[i];
      for (std::uint32_t first = 1; first < blocks; first += kAtOnce) {
        uint4 part[kAtOnce];
#pragma unroll
        for (std::uint32_t j = 0; j < kAtOnce; ++j)
          part[j] = first + j < blocks ? read(sums + i * 16, own ^ (first + j)) : uint4{};
#pragma unroll
        for (const uint4& more : part)
          sum = {sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w};
      }
      reinterpret_cast<uint4*>(block.sums)[i] = sum;
    }
    wait();
  }

 private:
  static constexpr std::uint32_t kAtOnce = 4;  // reads in flight, since each takes long

  static __device__ void wait() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  }
  /// Reads 16 bytes of another block's shared memory, at an address given for this block's.
  static __device__ uint4 read(std::uint32_t address, std::uint32_t rank) {
    uint4 value;
    std::uint32_t remote = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(remote)
                 : "memory");
    return value;
  }
};
#else
using Cluster = Alone;  // never launched as a cluster
#endif

/// A range of a tile's pieces of 8 slots.
struct Pieces {
  std::uint32_t begin, end;

  /// A block's share of a tile's pieces.
  template <typename Team>
  static __device__ Pieces of(const TileView& tile, const Team& team) {
    const std::uint32_t all = tile.words() / 4;
    return {all * team.rank() / team.size(), all * (team.rank() + 1) / team.size()};
  }
};

}  // namespace kindred::cuda
