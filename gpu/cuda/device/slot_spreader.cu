// Chooses which slot of its group a document gets. The 64 slots of a group are the 32 banks twice,
// for even and for odd slots. If the documents of a list got slots at random, some slots would have
// about sqrt(n) more of its postings than others. Those would have to be added at the same time as
// others of their bank.
// Floor: the rows once.
// Shape: one block per tile, since each choice depends on those before; one warp per group, 32
// groups at a time. The warps do not see what the others choose, but 32 of about 360 groups are too
// few to matter. Only the most frequent lists of counts 1 and 2 are considered: they are most of
// what a search adds, and their loads fit shared memory. Another kernel finds beforehand which of
// them each row has, for all rows at once, since the blocks could not wait for it.
#include "gpu/cuda/device/slot_spreader.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

constexpr unsigned kSpreadThreads = 1024;
constexpr unsigned kSpreadWarps = kSpreadThreads / 32;

constexpr std::uint32_t kFewRows = 4096;    // whose lists are too short to be worth it
constexpr std::uint32_t kSample = 8192;     // at least this many rows tell which lists are frequent
constexpr std::uint32_t kCounts = 2;        // 1 .. kCounts: a list is a term and one of these
constexpr std::uint32_t kLists = 640;       // looked at
constexpr std::uint32_t kListsOfRow = 64;   // of them, at most
constexpr std::uint32_t kTilesAtOnce = 64;  // whose rows' lists are kept, 190 MB
constexpr std::uint32_t kLoadWords = kGroupSlots / 4;
constexpr std::uint16_t kNoList = 0xFFFF;

/// The number of the list that entry `at` is in: term * kCounts + count - 1.
__device__ std::uint32_t list_of_entry(const SegmentView& segment, std::uint64_t at) {
  return segment.column[at] * kCounts + segment.count[at] - 1;
}
__device__ bool is_counted(const SegmentView& segment, std::uint64_t at) {
  return segment.count[at] - 1u < kCounts;
}

/// One warp per row, for every `step`-th row: counts how often each list occurs.
__global__ void count_lists_kernel(SegmentView segment, const std::uint32_t* rows, std::uint32_t n,
                                   std::uint32_t step, std::uint32_t* frequency) {
  const std::uint64_t i = std::uint64_t{(blockIdx.x * kSpreadThreads + threadIdx.x) / 32} * step;
  if (i >= n) return;

  const std::uint64_t end = segment.row_begin[rows[i] + 1];
  for (std::uint64_t at = segment.row_begin[rows[i]] + threadIdx.x % 32; at < end; at += 32)
    if (is_counted(segment, at)) atomicAdd(frequency + list_of_entry(segment, at), 1u);
}

/// Numbers the most frequent lists from 0; the others are kNoList. One block.
__global__ void number_lists_kernel(const std::uint32_t* frequency, std::uint64_t lists,
                                    std::uint16_t* number) {
  using BlockScan = cub::BlockScan<std::uint32_t, kSpreadThreads>;
  __shared__ BlockScan::TempStorage scratch;
  __shared__ std::uint32_t having[kSpreadThreads];  // lists of each frequency, the last or more

  // How many lists have each frequency. Frequencies that are larger than the block are all the last
  // one.
  having[threadIdx.x] = 0;
  __syncthreads();
  for (std::uint64_t i = threadIdx.x; i < lists; i += kSpreadThreads)
    if (frequency[i] > 0) atomicAdd(&having[min(frequency[i], kSpreadThreads - 1)], 1u);
  __syncthreads();

  // From the most frequent on, the sums say how many lists a limit lets through. `least` is the
  // lowest limit whose lists fit; among those of the highest frequency, the first ones are taken.
  std::uint32_t at_least = 0;  // how many lists have this frequency or more
  BlockScan(scratch).InclusiveSum(having[kSpreadThreads - 1 - threadIdx.x], at_least);
  const auto room_for = static_cast<unsigned>(__syncthreads_count(at_least <= kLists));
  const std::uint32_t least = min(max(kSpreadThreads - room_for, 1u), kSpreadThreads - 1);

  // Numbers are given in the order of the lists, so that equal input gives equal numbers.
  std::uint32_t numbered = 0;
  for (std::uint64_t first = 0; first < lists; first += kSpreadThreads) {
    const std::uint64_t i = first + threadIdx.x;
    const bool is_frequent = i < lists && frequency[i] >= least;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    BlockScan(scratch).ExclusiveSum(is_frequent ? 1u : 0u, before, all);

    const std::uint32_t own = numbered + before;
    const bool is_numbered = is_frequent && own < kLists;
    if (i < lists) number[i] = is_numbered ? static_cast<std::uint16_t>(own) : kNoList;
    numbered += all;
    __syncthreads();
  }
}

/// For each slot of a group, how many of a list's documents have it, one byte per slot. What all
/// slots have in common is subtracted. (A load above 255 would spill over to its neighbor. That
/// would only cost speed, and it does not happen.)
using Load = std::uint32_t[kLoadWords];

/// The numbers of a row's lists, the first kListsOfRow of them at most, then kNoList.
using RowLists = std::uint16_t[kListsOfRow];

/// One warp per row: lists the row's lists.
__global__ void list_rows_kernel(SegmentView segment, const std::uint16_t* number,
                                 const std::uint32_t* rows, std::uint32_t n, RowLists* lists) {
  const std::uint32_t i = (blockIdx.x * kSpreadThreads + threadIdx.x) / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  if (i >= n) return;
  const std::uint64_t end = segment.row_begin[rows[i] + 1];

  // The lanes whose entries are in frequent lists write their numbers next to each other.
  std::uint32_t found = 0;
  for (std::uint64_t first = segment.row_begin[rows[i]]; first < end; first += 32) {
    const std::uint64_t at = first + lane;
    std::uint16_t own = kNoList;
    if (at < end && is_counted(segment, at)) own = number[list_of_entry(segment, at)];

    const unsigned having = __ballot_sync(kWholeWarp, own != kNoList);
    const std::uint32_t place = found + __popc(having & ((1u << lane) - 1));
    if (own != kNoList && place < kListsOfRow) lists[i][place] = own;
    found += __popc(having);
  }

  for (std::uint32_t place = found + lane; place < kListsOfRow; place += 32)
    lists[i][place] = kNoList;
}

/// Two of a row's lists, held by one lane.
struct LaneLists {
  std::uint32_t pair;

  static __device__ LaneLists of(const RowLists& lists, unsigned lane) {
    static_assert(kListsOfRow == 64);
    return {__ldcs(reinterpret_cast<const std::uint32_t*>(lists) + lane)};
  }
  __device__ std::uint32_t low() const { return pair & 0xFFFF; }
  __device__ std::uint32_t high() const { return pair >> 16; }
  __device__ std::uint32_t count() const {
    return __popc(__ballot_sync(kWholeWarp, low() != kNoList)) +
           __popc(__ballot_sync(kWholeWarp, high() != kNoList));
  }
};

/// The work of a warp on a group's rows.
class GroupSpreader {
 public:
  /// `listed`: room for the lists of one row.
  __device__ GroupSpreader(Load* loads, std::uint16_t* listed) : loads_(loads), listed_(listed) {}

  /// The free slot in which the row's lists have the fewest other documents.
  __device__ std::uint32_t choose(LaneLists row, std::uint64_t free) {
    // Every lane reads all numbers of the row, so they go through shared memory.
    __syncwarp();  // all are done with the row before
    reinterpret_cast<std::uint32_t*>(listed_)[lane_] = row.pair;
    __syncwarp();

    // Half a warp takes every second list; each lane has four slots of a list. Bytes of a word are
    // added as two pairs of 16 bits, which sums of 64 loads fit.
    const std::uint32_t lists = row.count();
    const std::uint32_t half = lane_ / kLoadWords;
    const std::uint32_t word = lane_ % kLoadWords;
    std::uint32_t even = 0;  // the sums of a word's even bytes
    std::uint32_t odd = 0;   // those of its odd ones
#pragma unroll 4
    for (std::uint32_t i = half; i < lists; i += 2) {
      const std::uint32_t load = loads_[listed_[i]][word];
      even += load & 0x00FF00FF;
      odd += load >> 8 & 0x00FF00FF;
    }

    // Joins both halves; then each lane ranks two of its slots. The slot is in the lower bits, so
    // the first of equal slots is taken.
    even += __shfl_xor_sync(kWholeWarp, even, kLoadWords);
    odd += __shfl_xor_sync(kWholeWarp, odd, kLoadWords);
    const std::uint32_t sums = half == 0 ? even : odd;
    const std::uint32_t slot = word * 4 + half;

    const auto rank = [&](std::uint32_t sum, std::uint32_t of) {
      static_assert(kListsOfRow * 255 < 1u << 16 && kGroupSlots == 64);
      if ((free >> of & 1) == 0) return ~0u;
      return sum << 6 | of;
    };

    return __reduce_min_sync(kWholeWarp,
                             min(rank(sums & 0xFFFF, slot), rank(sums >> 16, slot + 2))) %
           kGroupSlots;
  }

  /// Counts a row in its slot.
  __device__ void add(LaneLists row, std::uint32_t slot) {
    for (const std::uint32_t own : {row.low(), row.high()})
      if (own != kNoList) atomicAdd(&loads_[own][slot / 4], 1u << slot % 4 * 8);
  }

 private:
  Load* loads_;
  std::uint16_t* listed_;
  const unsigned lane_ = threadIdx.x % 32;
};

/// Subtracts from each list's loads the least of them. All threads of the block.
__device__ void level(Load* loads) {
  static_assert(kLists % (kSpreadThreads / kLoadWords) == 0);
  for (std::uint32_t i = threadIdx.x / kLoadWords; i < kLists; i += kSpreadThreads / kLoadWords) {
    // The least byte of the lane's word, in each of its four bytes; then the least of all words of
    // the list.
    std::uint32_t& load = loads[i][threadIdx.x % kLoadWords];
    std::uint32_t least = __vminu4(load, load >> 16 | load << 16);
    least = __vminu4(least, least >> 8 | least << 24);

    for (unsigned mask = kLoadWords / 2; mask > 0; mask /= 2)
      least = __vminu4(least, __shfl_xor_sync(kWholeWarp, least, mask));

    load = __vsub4(load, least);
  }
}

/// `rows` and `lists` begin with the first tile of the launch.
__global__ void __launch_bounds__(kSpreadThreads)
    spread_slots_kernel(const RowLists* lists, std::uint32_t* rows, std::uint32_t n) {
  __shared__ Load loads[kLists];
  __shared__ alignas(4) RowLists listed[kSpreadWarps];
  for (std::uint32_t i = threadIdx.x; i < kLists * kLoadWords; i += kSpreadThreads)
    loads[i / kLoadWords][i % kLoadWords] = 0;

  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  GroupSpreader spreader(loads, listed[warp]);
  const std::uint32_t first_slot = blockIdx.x * kTileSlots;
  const std::uint32_t slots = min(n - first_slot, kTileSlots);

  // Each turn takes a group for every warp.
  for (std::uint32_t first = 0; first < slots; first += kSpreadWarps * kGroupSlots) {
    const std::uint32_t begin = first + warp * kGroupSlots;
    std::uint32_t size = 0;
    if (begin < slots) size = min(slots - begin, kGroupSlots);
    std::uint32_t* const group = rows + first_slot + begin;
    const RowLists* const of_group = lists + first_slot + begin;
    std::uint32_t row[2]{}, slot[2]{};  // number `lane` and 32 + `lane`
    for (unsigned h = 0; h < 2; ++h)
      if (h * 32 + lane < size) row[h] = group[h * 32 + lane];

    // Calls visit(lists, slot of lane i % 32, i) while the next row's lists are loading.
    const auto for_each = [&](auto&& visit) {
      LaneLists next{};
      if (size > 0) next = LaneLists::of(of_group[0], lane);
#pragma unroll
      for (unsigned h = 0; h < 2; ++h)
        for (unsigned i = h * 32; i < h * 32 + 32 && i < size; ++i) {
          const LaneLists now = next;
          if (i + 1 < size) next = LaneLists::of(of_group[i + 1], lane);
          visit(now, slot[h], i % 32);
        }
    };

    // First all warps choose slots, by what was there before the turn. Then all count their rows.
    __syncthreads();
    std::uint64_t free = ~std::uint64_t{0} >> (kGroupSlots - max(size, 1u));
    for_each([&](LaneLists its, std::uint32_t& its_slot, unsigned i) {
      const std::uint32_t chosen = spreader.choose(its, free);
      free &= ~(std::uint64_t{1} << chosen);
      if (lane == i) its_slot = chosen;
    });

    __syncthreads();
    for_each([&](LaneLists its, std::uint32_t& its_slot, unsigned i) {
      spreader.add(its, __shfl_sync(kWholeWarp, its_slot, static_cast<int>(i)));
    });

    // The rows were read into registers above, so they can be written in place.
    for (unsigned h = 0; h < 2; ++h)
      if (h * 32 + lane < size) group[slot[h]] = row[h];

    __syncthreads();
    level(loads);
  }
}

}  // namespace

void spread_slots(const DevicePointer& device, const DeviceSegment& segment,
                  DeviceBuffer<std::uint32_t>& rows) {
  const auto n = static_cast<std::uint32_t>(rows.size());
  if (n < kFewRows || segment.columns() == 0) return;

  const std::uint64_t lists = std::uint64_t{segment.columns()} * kCounts;
  const cudaStream_t stream = device->stream();
  DeviceBuffer<std::uint32_t> frequency(device, lists);
  DeviceBuffer<std::uint16_t> number(device, lists);
  cuda_check(cudaMemsetAsync(frequency.data(), 0, frequency.bytes(), stream), "building tiles");

  // A sample tells which lists are frequent. The others are not looked at again.
  const std::uint32_t step = std::max(n / kSample, 1u);
  count_lists_kernel<<<blocks_for((n + step - 1) / step, kSpreadWarps), kSpreadThreads, 0,
                       stream>>>(segment.view(0), rows.data(), n, step, frequency.data());
  launch_check("count_lists_kernel");
  number_lists_kernel<<<1, kSpreadThreads, 0, stream>>>(frequency.data(), lists, number.data());
  launch_check("number_lists_kernel");

  // Some tiles at a time, which bounds the memory for the lists of their rows.
  const std::uint32_t at_once = std::min(n, kTilesAtOnce * kTileSlots);
  DeviceBuffer<std::uint16_t> listed(device, std::size_t{at_once} * kListsOfRow);
  auto* const lists_of_rows = reinterpret_cast<RowLists*>(listed.data());

  // The next tiles overwrite the lists when these are done, as both are on one stream.
  for (std::uint32_t first = 0; first < n; first += at_once) {
    const std::uint32_t count = std::min(at_once, n - first);
    list_rows_kernel<<<blocks_for(count, kSpreadWarps), kSpreadThreads, 0, stream>>>(
        segment.view(0), number.data(), rows.data() + first, count, lists_of_rows);
    launch_check("list_rows_kernel");
    spread_slots_kernel<<<(count + kTileSlots - 1) / kTileSlots, kSpreadThreads, 0, stream>>>(
        lists_of_rows, rows.data() + first, count);
    launch_check("spread_slots_kernel");
  }
}

}  // namespace kindred::cuda
