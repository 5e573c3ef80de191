// Answers a single query on a small mirror: every row is scored. What costs time is how many steps
// depend on each other, not how much they read.
//
// Floor: a launch, about 9 us from call to answer, and 5 bytes per entry from the second-level
// cache: 1 us for 23,149 documents of 76 terms.
// Shape: three blocks per multiprocessor, so that up to 30,000 documents of 76 terms take one step:
// all entries load at once, in 25 registers per thread.
#include "gpu/cuda/knn/scan_one.cuh"

#include <algorithm>

#include "gpu/cuda/knn/answer.cuh"
#include "gpu/cuda/knn/scan.cuh"

namespace kindred::cuda {
namespace {

constexpr unsigned kScanBlocks = 3;            // on a multiprocessor
constexpr std::uint32_t kLeastRows = 16;       // of a block
constexpr std::uint64_t kMostEntries = 12000;  // of a block; with more, postings are quicker
constexpr std::size_t kScanBytes =
    std::max(sizeof(ScanList), std::max(sizeof(Ballot), kMostParts * sizeof(std::uint32_t)));
static_assert(kScanBytes % 16 == 0);

static_assert(kEntriesOfStep == kScanEntries && kRowsOfStep == kScanRows);

struct PlaceRange {
  std::uint32_t begin;
  std::uint32_t end;
};

/// The places of the rows that this block scans.
__device__ PlaceRange own_places(const SearchJob& job) {
  if (job.part_begin != nullptr)
    return {job.part_begin[blockIdx.x], job.part_begin[blockIdx.x + 1]};

  // Equal numbers of rows; the first parts have one row more where they do not divide evenly.
  const std::uint32_t each = job.mirror.places / job.parts;
  const std::uint32_t more = job.mirror.places % job.parts;
  const std::uint32_t first = blockIdx.x * each + min(blockIdx.x, more);
  const std::uint32_t rows = blockIdx.x < more ? each + 1 : each;
  return {first, first + rows};
}

template <typename OwnQuery>
__global__ void __launch_bounds__(kThreads, kScanBlocks)
    scan_one_kernel(const __grid_constant__ SearchJob job, const __grid_constant__ OwnQuery query) {
  extern __shared__ __align__(16) char memory[];
  __shared__ Fixed fixed;
  const Block block{fixed, memory, reinterpret_cast<Key*>(memory + kScanBytes), job.k};

  // The rows' first loads are under way while keys are cleared and the query arrives.
  const PlaceRange places = own_places(job);
  RowScan scan(block, job.mirror, places.begin, places.end);
  clear_keys(block);
  load_query(block, query);
  scan.run();

  if (job.parts > 1 && !gather_parts(block, job, blockIdx.x)) return;
  write_gathered(block, job);
  announce(job, query.arrived);
}

std::size_t shared_bytes(std::uint32_t k) { return kScanBytes + keys_bytes(k); }

std::uint32_t most_blocks(const Device& device) {
  return std::min(kScanBlocks * static_cast<std::uint32_t>(device.multiprocessors()), kMostParts);
}

}  // namespace

void enable_scan() {
  for (const void* kernel : {reinterpret_cast<const void*>(scan_one_kernel<ShortQuery>),
                             reinterpret_cast<const void*>(scan_one_kernel<OneQuery>),
                             reinterpret_cast<const void*>(scan_one_kernel<LongQuery>)})
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes(kMaxNeighbors))),
               "scan_one_kernel");
}

bool pays_to_scan(const Device& device, std::uint64_t entries) {
  return entries <= kMostEntries * most_blocks(device);
}

std::uint32_t scan_parts(const Device& device, std::uint32_t rows) {
  return std::clamp((rows + kLeastRows - 1) / kLeastRows, 1u, most_blocks(device));
}

template <typename OwnQuery>
void scan_one(const SearchJob& job, const OwnQuery& query, cudaStream_t stream) {
  scan_one_kernel<<<job.parts, kThreads, shared_bytes(job.k), stream>>>(job, query);
  launch_check("scan_one_kernel");
}
template void scan_one(const SearchJob&, const ShortQuery&, cudaStream_t);
template void scan_one(const SearchJob&, const OneQuery&, cudaStream_t);
template void scan_one(const SearchJob&, const LongQuery&, cudaStream_t);

}  // namespace kindred::cuda
