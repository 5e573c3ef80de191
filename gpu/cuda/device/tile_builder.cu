// The mirror's transpose in tiles, made on the device.
// Floor: reading the rows once and writing the chunks once, about 9 bytes per posting. The sort
// costs more: three or four passes of 12 bytes per posting, or, with keys of 64 bits, five to seven
// passes of 20.
// Shape: everything that orders is CUB's; the kernels here only map.
#include "gpu/cuda/device/tile_builder.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "config/error.h"
#include "gpu/cuda/device/fill_lists.cuh"
#include "gpu/cuda/device/launch.cuh"
#include "gpu/cuda/device/slot_spreader.cuh"

namespace kindred::cuda {
namespace {

constexpr std::uint64_t kPostingsAtOnce = std::uint64_t{1} << 25;  // 32 bytes each while sorting

__global__ void gather_lengths_kernel(const std::uint32_t* rows, std::uint32_t n,
                                      const double* length, float* key) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i < n) key[i] = static_cast<float>(length[rows[i]]);
}

__global__ void count_postings_kernel(SegmentView segment, const std::uint32_t* rows,
                                      std::uint32_t n, std::uint64_t* postings) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i < n) postings[i] = segment.row_begin[rows[i] + 1] - segment.row_begin[rows[i]];
}

int term_bits_of(const DeviceSegment& segment) {
  return std::bit_width(std::max(segment.columns(), 1u));
}
int count_bits_of(const DeviceSegment& segment) {
  return std::bit_width(std::max(segment.largest_count(), 1u));
}
/// The bits of a key when there are this many tiles.
int key_bits(const DeviceSegment& segment, std::uint32_t tiles) {
  return 1 + count_bits_of(segment) + term_bits_of(segment) + std::bit_width(tiles);
}

/// True if one more tile should be sorted together with `tiles` tiles. Each group of tiles costs
/// some time whatever its size, but a further pass of the sort costs more.
bool joins_group(const DeviceSegment& segment, std::uint32_t tiles) {
  constexpr int kPassBits = 8;
  constexpr std::uint32_t kFewTiles = 6;
  const int passes = (key_bits(segment, tiles) - 1) / kPassBits;
  const int passes_with_one_more = (key_bits(segment, tiles + 1) - 1) / kPassBits;
  return tiles < kFewTiles || passes_with_one_more == passes;
}

/// One warp per row: writes its postings' keys and where each posting is in its tile.
template <typename Key>
__global__ void list_postings_kernel(SegmentView segment, const std::uint32_t* rows,
                                     std::uint32_t n, const std::uint64_t* offset,
                                     KeyLayout<Key> layout, Key* key, std::uint16_t* posting) {
  const std::uint32_t i = (blockIdx.x * kBlockThreads + threadIdx.x) / 32;
  if (i >= n) return;

  const std::uint64_t begin = segment.row_begin[rows[i]];
  const std::uint64_t size = segment.row_begin[rows[i] + 1] - begin;
  const std::uint32_t tile = i / kTileSlots;
  const std::uint32_t slot = i % kTileSlots;

  // A posting is the byte offset of the word that its slot shares with the slot beside it.
  for (std::uint64_t j = threadIdx.x % 32; j < size; j += 32) {
    key[offset[i] + j] =
        layout.key(tile, segment.column[begin + j], segment.count_of(begin + j), slot % 2);
    posting[offset[i] + j] = static_cast<std::uint16_t>(slot / 2 * 4);
  }
}

/// is_candidate[list] = 1 if its group has many short lists, else 0. `candidates` counts them.
template <typename Key>
__global__ void mark_mixed_kernel(const Key* key, const std::uint32_t* length, std::uint32_t lists,
                                  KeyLayout<Key> layout, std::uint8_t* is_candidate,
                                  std::uint32_t* candidates) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  std::uint32_t own = 0;

  // The first list of a group speaks for all.
  if (i < lists && ListGroup::begins(key, i, layout)) {
    const ListGroup group = ListGroup::of(key, length, i, lists, layout);
    const bool is_split = group.is_split();
    if (is_split) own = group.lists;
    for (std::uint32_t j = 0; j < group.lists; ++j) is_candidate[i + j] = is_split ? 1 : 0;
  }

  own = __reduce_add_sync(kWholeWarp, own);
  if (threadIdx.x % 32 == 0 && own > 0) atomicAdd(candidates, own);
}

/// Joins lists to runs.
template <typename Key>
__global__ void join_lists_kernel(const Key* key, const std::uint32_t* length, MixedLists mixed,
                                  ListPlaces places, std::uint32_t lists, KeyLayout<Key> layout,
                                  uint2* run, Key* run_key) {
  const std::uint32_t i = blockIdx.x * kBlockThreads + threadIdx.x;
  if (i >= lists) return;

  // A mixed run is written by the first list of its group. Its count is the largest, that of the
  // last list.
  if (mixed.has(i)) {
    if (!ListGroup::begins(key, i, layout)) return;
    const ListGroup group = ListGroup::of(key, length, i, lists, layout);
    const std::uint32_t number = places.before[i].runs;
    const std::uint32_t largest = layout.count(key[i + group.lists - 1]);
    run[number] = {places.aligned + places.before[i].loose,
                   RunShape::mixed(largest, group.chunks()).packed};
    run_key[number] = key[i];
    return;
  }

  // Another run is written by its first list, the even one if there are two.
  if (i > 0 && key[i] >> 1 == key[i - 1] >> 1) return;
  const ParityLists own = ParityLists::of(key, length, i, lists);
  const RunShape shape = RunShape::of(layout.count(key[i]), own.sets(), own.rest());
  const std::uint32_t number = places.before[i].runs;
  run[number] = {places.first_chunk(i, own), shape.packed};
  run_key[number] = key[i];
}

/// term_runs[tile, term] = the first run whose key is not below theirs.
template <typename Key>
__global__ void find_term_runs_kernel(const Key* run_key, std::uint32_t runs, std::uint32_t tiles,
                                      std::uint32_t terms, KeyLayout<Key> layout,
                                      std::uint32_t* term_runs) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  if (i >= std::uint64_t{tiles} * (terms + 1)) return;
  const auto tile = static_cast<std::uint32_t>(i / (terms + 1));
  const auto term = static_cast<std::uint32_t>(i % (terms + 1));

  // The end of a tile's last term is where the next tile begins.
  Key wanted = layout.key(tile, term, 0, 0);
  if (term == terms) wanted = layout.key(tile + 1, 0, 0, 0);
  term_runs[i] = find_first(runs, [&](std::uint32_t run) {
    // Keys ascend, as runs were numbered in the order of their lists.
    return run_key[run] < wanted;
  });
}

template <typename Key>
class Builder {
 public:
  Builder(const DevicePointer& device, const DeviceSegment& segment)
      : device_(device),
        segment_(segment),
        layout_{count_bits_of(segment), term_bits_of(segment)} {}

  std::vector<DeviceTile> build(std::span<const std::uint32_t> its_rows, const double* length) {
    // Rows of like length share groups, and within a group each gets a slot that spreads the lists.
    const auto n = static_cast<std::uint32_t>(its_rows.size());
    DeviceBuffer<std::uint32_t> rows = sorted_by_length(its_rows, length);
    spread_slots(device_, segment_, rows);

    DeviceBuffer<std::uint64_t> offset = offsets(rows);
    const std::vector<std::uint64_t> tile_begin = every_tile(offset, n);

    // Tiles are sorted in groups, as many at a time as the memory for sorting and the keys allow.
    std::vector<DeviceTile> tiles;
    for (std::size_t first = 0; first + 1 < tile_begin.size();) {
      std::size_t last = first + 1;
      while (last + 1 < tile_begin.size() &&
             tile_begin[last + 1] - tile_begin[first] <= kPostingsAtOnce &&
             joins_group(segment_, static_cast<std::uint32_t>(last - first)))
        ++last;

      // The last tile of all may have fewer rows.
      const auto begin = static_cast<std::uint32_t>(first * kTileSlots);
      add_group(rows.data() + begin,
                std::min(n, static_cast<std::uint32_t>(last * kTileSlots)) - begin,
                tile_begin[last] - tile_begin[first], tiles);
      first = last;
    }
    return tiles;
  }

 private:
  DeviceBuffer<std::uint32_t> sorted_by_length(std::span<const std::uint32_t> its_rows,
                                               const double* length) {
    const auto n = static_cast<std::uint32_t>(its_rows.size());
    const DeviceBuffer<std::uint32_t> rows = upload(device_, its_rows);
    // Floats tell lengths apart well enough: the order only decides how tight bounds are.
    DeviceBuffer<float> key(device_, n), sorted_key(device_, n);
    DeviceBuffer<std::uint32_t> sorted(device_, n);
    gather_lengths_kernel<<<blocks_for(n), kBlockThreads, 0, device_->stream()>>>(
        rows.data(), n, length, key.data());
    launch_check("gather_lengths_kernel");

    with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key.data(), sorted_key.data(),
                                             rows.data(), sorted.data(), static_cast<int>(n), 0, 32,
                                             device_->stream());
    });
    return sorted;
  }

  /// Where each row's postings begin, and their number at the end.
  DeviceBuffer<std::uint64_t> offsets(const DeviceBuffer<std::uint32_t>& rows) {
    const auto n = static_cast<std::uint32_t>(rows.size());
    // The element past the last row counts 0, so that the scan ends with the sum of all.
    DeviceBuffer<std::uint64_t> count(device_, n + 1), offset(device_, n + 1);
    cuda_check(cudaMemsetAsync(count.data() + n, 0, sizeof(std::uint64_t), device_->stream()),
               "building tiles");
    count_postings_kernel<<<blocks_for(n), kBlockThreads, 0, device_->stream()>>>(
        segment_.view(0), rows.data(), n, count.data());
    launch_check("count_postings_kernel");

    with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(scratch, bytes, count.data(), offset.data(),
                                           static_cast<int>(n + 1), device_->stream());
    });
    return offset;
  }

  /// The offset of each tile's first row, then the number of postings of all n rows.
  std::vector<std::uint64_t> every_tile(const DeviceBuffer<std::uint64_t>& offset,
                                        std::uint32_t n) {
    // One value out of every tile, by a copy with a stride.
    std::vector<std::uint64_t> begin((n + kTileSlots - 1) / kTileSlots);
    constexpr std::size_t kSize = sizeof(std::uint64_t);
    cuda_check(cudaMemcpy2DAsync(begin.data(), kSize, offset.data(), kTileSlots * kSize, kSize,
                                 begin.size(), cudaMemcpyDeviceToHost, device_->stream()),
               "building tiles");

    begin.push_back(fetch(device_, offset.data() + n));
    return begin;
  }

  void add_group(const std::uint32_t* rows, std::uint32_t n, std::uint64_t postings,
                 std::vector<DeviceTile>& tiles) {
    if (postings >= std::uint64_t{1} << 31)
      throw Error(Errc::kUnsupported, std::to_string(kTileSlots) +
                                          " documents hold 2^31 postings or more; a tile cannot");

    // The group has the rows for good. Other arrays are needed only while it is made.
    auto group = std::make_shared<TileGroup>();
    group->terms = segment_.columns();
    group->row_of = DeviceBuffer<std::uint32_t>(device_, n);
    copy_values(group->row_of.data(), rows, n, device_->stream(), "building tiles");

    // There are at most as many lists as postings.
    const std::uint32_t tile_count = (n + kTileSlots - 1) / kTileSlots;
    EncodedLists lists{DeviceBuffer<Key>(device_, postings),
                       DeviceBuffer<std::uint32_t>(device_, postings + 1), 0};
    const DeviceBuffer<std::uint16_t> posting = sorted_postings(*group, postings, tile_count);
    encode_lists(lists, postings);
    fill(*group, lists, posting, tile_count);
    device_->stream().wait("building tiles");

    // Its tiles share the arrays of the group.
    for (std::uint32_t tile = 0; tile < tile_count; ++tile)
      tiles.push_back(
          {group, tile, tile * kTileSlots, std::min(n - tile * kTileSlots, kTileSlots)});
  }

  /// Postings in the order of their keys; leaves the sorted keys in sorted_key_.
  DeviceBuffer<std::uint16_t> sorted_postings(const TileGroup& group, std::uint64_t n,
                                              std::uint32_t tiles) {
    const DeviceBuffer<std::uint64_t> offset = offsets(group.row_of);
    DeviceBuffer<Key> key(device_, n);
    DeviceBuffer<std::uint16_t> posting(device_, n), sorted(device_, n);
    sorted_key_ = DeviceBuffer<Key>(device_, n);

    const auto rows = static_cast<std::uint32_t>(group.row_of.size());
    list_postings_kernel<<<blocks_for(rows, kBlockThreads / 32), kBlockThreads, 0,
                           device_->stream()>>>(segment_.view(0), group.row_of.data(), rows,
                                                offset.data(), layout_, key.data(), posting.data());
    launch_check("list_postings_kernel");

    // Only the bits that keys of so many tiles can have are sorted: each 8 of them are a pass.
    const int bits = key_bits(segment_, tiles);
    with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, key.data(), sorted_key_.data(),
                                             posting.data(), sorted.data(), static_cast<int>(n), 0,
                                             bits, device_->stream());
    });

    return sorted;
  }

  /// Postings of equal keys.
  struct EncodedLists {
    DeviceBuffer<Key> key;
    DeviceBuffer<std::uint32_t> length;
    std::uint32_t size;
  };

  void encode_lists(EncodedLists& lists, std::uint64_t n) {
    if (n == 0) return;

    DeviceBuffer<std::uint32_t> size(device_, 1);
    with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(scratch, bytes, sorted_key_.data(),
                                                lists.key.data(), lists.length.data(), size.data(),
                                                static_cast<int>(n), device_->stream());
    });

    // The sorted keys are not needed any more, and their memory is, for what follows.
    sorted_key_ = {};
    lists.size = fetch(device_, size.data());
  }

  void fill(TileGroup& group, const EncodedLists& lists, const DeviceBuffer<std::uint16_t>& posting,
            std::uint32_t tiles) {
    const cudaStream_t stream = device_->stream();

    // Which lists are in mixed runs has to be known before places are given.
    const std::uint32_t n = lists.size;
    const std::uint32_t ends = n + 1;
    DeviceBuffer<Space> before(device_, ends);
    DeviceBuffer<std::uint8_t> is_candidate(device_, n);
    DeviceBuffer<std::uint32_t> candidates(device_, 1);
    cuda_check(cudaMemsetAsync(candidates.data(), 0, candidates.bytes(), stream), "building tiles");

    if (n > 0) {
      mark_mixed_kernel<<<blocks_for(n), kBlockThreads, 0, stream>>>(
          lists.key.data(), lists.length.data(), n, layout_, is_candidate.data(),
          candidates.data());
      launch_check("mark_mixed_kernel");
    }
    const MixedLists mixed{is_candidate.data(), candidates.data(), n};

    // The places of all lists are sums over the lists before each, by one scan. The element past
    // the last has the totals, which say how much memory the group takes.
    const auto space = thrust::make_transform_iterator(
        thrust::counting_iterator<std::uint32_t>(0),
        MeasureList<Key>{lists.key.data(), lists.length.data(), mixed, n, layout_});
    with_scratch(device_, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveScan(scratch, bytes, space, before.data(),
                                            ::cuda::std::plus<>{}, Space{}, static_cast<int>(ends),
                                            stream);
    });
    const Space all = fetch(device_, before.data() + n);
    const ListPlaces places{before.data(), all.aligned};
    group.runs = DeviceBuffer<uint2>(device_, all.runs);
    group.chunks = DeviceBuffer<uint4>(device_, std::uint64_t{all.aligned} + all.loose);
    group.term_runs =
        DeviceBuffer<std::uint32_t>(device_, std::uint64_t{tiles} * (group.terms + 1));
    DeviceBuffer<Key> run_key(device_, all.runs);

    // Each list now finds its own place, and the run that it is part of.
    if (n > 0) {
      const ListTargets<Key> targets{lists.key.data(),
                                     lists.length.data(),
                                     mixed,
                                     places,
                                     n,
                                     static_cast<std::uint32_t>(group.row_of.size()),
                                     layout_,
                                     posting.data(),
                                     reinterpret_cast<std::uint16_t*>(group.chunks.data())};
      join_and_fill(targets, group.runs.data(), run_key.data());
    }

    // The first run of each term, by a search among the keys of the runs. Terms without runs begin
    // where the next one does.
    find_term_runs_kernel<<<blocks_for(group.term_runs.size()), kBlockThreads, 0, stream>>>(
        run_key.data(), all.runs, tiles, group.terms, layout_, group.term_runs.data());
    launch_check("find_term_runs_kernel");

    group.has_mixed_runs = fetch(device_, candidates.data()) > n / 2;
  }

  /// Joins lists to runs, and fills their chunks.
  void join_and_fill(const ListTargets<Key>& targets, uint2* run, Key* run_key) {
    const std::uint32_t n = targets.lists;
    const cudaStream_t stream = device_->stream();
    join_lists_kernel<<<blocks_for(n), kBlockThreads, 0, stream>>>(
        targets.key, targets.length, targets.mixed, targets.places, n, layout_, run, run_key);
    launch_check("join_lists_kernel");
    fill_lists_kernel<<<blocks_for(n, kFillThreads), kFillThreads, 0, stream>>>(targets);
    launch_check("fill_lists_kernel");
  }

  DevicePointer device_;
  const DeviceSegment& segment_;
  const KeyLayout<Key> layout_;
  DeviceBuffer<Key> sorted_key_;
};

}  // namespace

std::vector<DeviceTile> build_tiles(const DevicePointer& device, const DeviceSegment& segment,
                                    std::span<const std::uint32_t> rows, const double* length) {
  if (rows.empty()) return {};

  // Sorting is most of the work, so keys are as narrow as they can be.
  const auto tiles = static_cast<std::uint32_t>((rows.size() + kTileSlots - 1) / kTileSlots);
  if (key_bits(segment, tiles) <= 32)
    return Builder<std::uint32_t>(device, segment).build(rows, length);
  return Builder<std::uint64_t>(device, segment).build(rows, length);
}

}  // namespace kindred::cuda
