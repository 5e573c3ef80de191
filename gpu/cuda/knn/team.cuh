#pragma once

#include "gpu/cuda/device/kernel_code.cuh"
#include "gpu/cuda/knn/search_block.cuh"

// The blocks that search a tile together: one block, or the blocks of a cluster. They share out the
// postings. Then each takes some of the slots and adds up what the others found there.
//
// Calls marked "Collective" hold barriers of the cluster and read the memory of other blocks. All
// threads of all blocks of a team make the same collective calls in the same order. A block that
// does not would leave another one waiting, or reading where nobody is left, and that ends the CUDA
// context of the whole process. So only two kinds of conditions decide whether one is made:
// - what is equal in all blocks: the job, the query, the tile and what is computed of these alone;
// - a decision that the team made together, by all().
// A block's own keys, candidates, lists and threshold differ from those of the others: they never
// do, unless by way of all(). Nothing is read after the barrier that ends a collective call, so a
// block may leave after its last one.

namespace kindred::cuda {

/// A block that works alone.
struct Alone {
  static constexpr bool kHasOneQuery = false;
  static constexpr bool kHasMixedRuns = true;

  static __device__ std::uint32_t rank() { return 0; }
  static __device__ std::uint32_t size() { return 1; }
  template <typename Octets>
  __device__ void gather(const Block&, const Octets&) const {}
  static __device__ std::uint32_t least(const Block&, std::uint32_t own) { return own; }
  static __device__ bool all(const Block&, bool own) { return own; }
};

/// The same where no run is mixed, as in text: the loops are quicker without that case.
struct AloneUnmixed : Alone {
  static constexpr bool kHasMixedRuns = false;
};

inline constexpr std::uint32_t kGroupOctets = kGroupSlots / 8;  // an octet: 8 slots

/// A block's share of a tile's octets: all of them.
template <typename Team>
struct Octets {
  std::uint32_t count;

  static __device__ Octets of(const TileView& tile, const Team&) { return {tile.words() / 4}; }
  /// The number of one of these octets in the tile.
  __device__ std::uint32_t operator[](std::uint32_t i) const { return i; }
};

/// How the blocks of a cluster share out a tile's octets, whose slots are sorted by length.
enum class Distribution {
  kBlock,   ///< a block has consecutive ones, which it looks at soonest
  kCyclic,  ///< a block has documents of all lengths, so that all have some of the hard ones
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= KINDRED_CLUSTER_ARCH
/// The blocks of a cluster, which read each other's shared memory.
template <Distribution kDistribution>
struct Cluster {
  static constexpr bool kHasOneQuery = true;  // nothing comes after its last tile
  static constexpr bool kHasMixedRuns = true;

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

  /// Collective. Adds the other blocks' sums of this block's octets to its own. The number of
  /// blocks is a power of two.
  template <typename Octets>
  __device__ void gather(const Block& block, const Octets& octets) const {
    // All blocks have added up their shares before any is read.
    wait();
    const std::uint32_t own = rank(), blocks = size();
    const auto sums = static_cast<std::uint32_t>(__cvta_generic_to_shared(block.sums));

    // For each octet, the sums of all other blocks, several reads at a time. Blocks begin with
    // different ones, by the exclusive or of their ranks, so that none is read by all at once.
    for (std::uint32_t n = threadIdx.x; n < octets.count; n += kThreads) {
      const std::uint32_t i = octets[n];
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

  /// Collective. The least of the blocks' values, which are those of their first threads.
  __device__ std::uint32_t least(const Block& block, std::uint32_t own) const {
    // Every block writes its own value and reads all others' in between two barriers of the
    // cluster.
    if (threadIdx.x == 0) block.fixed.shared = own;
    wait();
    const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(&block.fixed.shared));
    for (std::uint32_t other = 0; other < size(); ++other) own = min(own, read_word(shared, other));
    wait();
    return own;
  }

  /// Collective. True in all blocks if it is true in all, else false in all.
  __device__ bool all(const Block& block, bool own) const { return least(block, own ? 1 : 0) != 0; }

 private:
  static constexpr std::uint32_t kAtOnce = 7;  // reads in flight, since each takes long

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
  static __device__ std::uint32_t read_word(std::uint32_t address, std::uint32_t rank) {
    std::uint32_t value = 0, remote = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
    return value;
  }
};

/// Those of its block in a cluster, by whole groups of slots, which share their bounds.
template <>
struct Octets<Cluster<Distribution::kBlock>> {
  std::uint32_t count, first;

  static __device__ Octets of(const TileView& tile, const Cluster<Distribution::kBlock>& team) {
    const std::uint32_t groups = tile.words() / 4 / kGroupOctets;
    const std::uint32_t begin = groups * team.rank() / team.size();
    const std::uint32_t end = groups * (team.rank() + 1) / team.size();
    return {(end - begin) * kGroupOctets, begin * kGroupOctets};
  }
  __device__ std::uint32_t operator[](std::uint32_t i) const { return first + i; }
};

template <>
struct Octets<Cluster<Distribution::kCyclic>> {
  std::uint32_t count, rank, blocks;

  static __device__ Octets of(const TileView& tile, const Cluster<Distribution::kCyclic>& team) {
    const std::uint32_t groups = tile.words() / 4 / kGroupOctets;
    const std::uint32_t own = (groups + team.size() - 1 - team.rank()) / team.size();
    return {own * kGroupOctets, team.rank(), team.size()};
  }
  __device__ std::uint32_t operator[](std::uint32_t i) const {
    return (i / kGroupOctets * blocks + rank) * kGroupOctets + i % kGroupOctets;
  }
};
#else
template <Distribution>
using Cluster = Alone;  // this code is never launched as a cluster (KernelCode)
#endif

}  // namespace kindred::cuda
