#include "gpu/cuda/som/map.cuh"

#include <algorithm>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 26;

/// Some columns in the host's layout: [columns, units], from column `first` of the map on.
template <typename T>
struct HostColumns {
  T* value;
  std::uint32_t first, columns;
};

/// The weights of the units.
struct Weights {
  SomMapView map;
  __device__ float get(std::uint32_t unit, std::uint32_t column) const {
    return map.weight[map.place(unit, column)];
  }
  __device__ void set(std::uint32_t unit, std::uint32_t column, float weight) const {
    map.weight[map.place(unit, column)] = weight;
  }
};

/// Their sums, narrow or wide.
struct Sums {
  SomMapView map;
  __device__ std::int64_t get(std::uint32_t unit, std::uint32_t column) const {
    const std::uint32_t slot = map.grid[unit].slot;
    return slot == SomGrid::kNarrow ? map.narrow_sum(unit, column) : map.wide_sum(slot, column);
  }
  __device__ void set(std::uint32_t unit, std::uint32_t column, std::int64_t sum) const {
    const std::uint32_t slot = map.grid[unit].slot;
    if (slot == SomGrid::kNarrow) {
      map.narrow_sum(unit, column) = static_cast<std::int32_t>(sum);
    } else {
      map.wide_sum(slot, column) = sum;
    }
  }
};

template <typename T, typename Values>
__global__ void move_columns_kernel(HostColumns<T> host, Values values, bool to_host) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  const std::uint32_t units = values.map.units;
  if (i >= std::uint64_t{host.columns} * units) return;
  const auto unit = static_cast<std::uint32_t>(i % units);
  const std::uint32_t column = host.first + static_cast<std::uint32_t>(i / units);
  if (to_host) {
    host.value[i] = values.get(unit, column);
  } else {
    values.set(unit, column, host.value[i]);
  }
}

template <typename T, typename Values>
void move_columns(const HostColumns<T>& host, const Values& values, bool to_host,
                  cudaStream_t stream) {
  const std::uint64_t size = std::uint64_t{host.columns} * values.map.units;
  move_columns_kernel<<<blocks_for(size), kBlockThreads, 0, stream>>>(host, values, to_host);
  launch_check("move_columns_kernel");
}

template <typename T>
void clear(DeviceBuffer<T>& buffer, std::size_t size, cudaStream_t stream) {
  if (size > 0)
    cuda_check(cudaMemsetAsync(buffer.data(), 0, size * sizeof(T), stream), "a map's memory");
}

/// How many columns of `units` values of type T go at once.
template <typename T>
std::size_t columns_at_once(std::uint32_t units, std::size_t columns) {
  return std::min(columns, std::max<std::size_t>(1, kBytesAtOnce / sizeof(T) / units));
}

/// Calls move(columns, place of their first value on the host, number of values) for `count`
/// columns from `first` on, as many at a time as fit the buffer.
template <typename T, typename Move>
void by_columns(std::uint32_t units, std::uint32_t first, std::size_t count,
                DeviceBuffer<T>& buffer, Move&& move) {
  const std::size_t at_once = buffer.size() / units;
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const HostColumns<T> piece = {buffer.data(), static_cast<std::uint32_t>(first + begin),
                                  static_cast<std::uint32_t>(std::min(at_once, count - begin))};
    move(piece, begin * units, std::size_t{piece.columns} * units);
  }
}

/// Adds columns [first, last) of another matrix, [rows, columns]. blockIdx.x is the row.
template <typename Integer>
__global__ void add_columns_kernel(Integer* own, const Integer* other, std::uint32_t columns,
                                   std::uint32_t first, std::uint32_t last) {
  const std::uint32_t column = first + blockIdx.y * kBlockThreads + threadIdx.x;
  if (column >= last) return;
  const std::size_t place = std::size_t{blockIdx.x} * columns + column;
  const Integer more = other[place];
  if (more != 0) own[place] += more;
}

template <typename Integer>
void add_columns(Integer* own, const Integer* other, std::uint32_t rows, std::uint32_t columns,
                 std::uint32_t first, std::uint32_t last, cudaStream_t stream) {
  add_columns_kernel<<<dim3(rows, blocks_for(last - first)), kBlockThreads, 0, stream>>>(
      own, other, columns, first, last);
  launch_check("add_columns_kernel");
}

/// Copies the weights of columns [first, last). blockIdx.x is the slice of units.
__global__ void take_weights_kernel(SomMapView map, const float* other, std::uint32_t first,
                                    std::uint32_t last) {
  const std::size_t i = std::size_t{blockIdx.y} * kBlockThreads + threadIdx.x;
  if (i >= (last - first) * std::size_t{kSliceUnits}) return;
  const std::size_t place = (std::size_t{blockIdx.x} * map.columns + first) * kSliceUnits + i;
  map.weight[place] = other[place];
}

}  // namespace

DeviceSomMap::DeviceSomMap(DevicePointer device, Staging& staging, std::uint32_t units,
                           std::uint32_t columns)
    : device_(std::move(device)), staging_(staging) {
  view_.units = units;
  view_.columns = columns;
  const std::size_t padded = std::size_t{view_.slices()} * kSliceUnits;
  weight_ = DeviceBuffer<float>(device_, padded * columns);
  narrow_ = DeviceBuffer<std::int32_t>(device_, std::size_t{units} * columns);
  grid_ = DeviceBuffer<SomUnitGrid>(device_, units);
  squared_norm_ = DeviceBuffer<float>(device_, padded);
  exact_norm_ = DeviceBuffer<double>(device_, padded);
  columns_ = DeviceBuffer<float>(device_, columns_at_once<float>(units, columns) * units);
  view_.weight = weight_.data();
  view_.grid = grid_.data();
  view_.narrow = narrow_.data();
  view_.squared_norm = squared_norm_.data();
  view_.exact_norm = exact_norm_.data();
  clear(weight_, weight_.size(), device_->stream());  // padding is never written again
  begin_sums(SomGrid({}, std::vector<std::int64_t>(units)));
}

void DeviceSomMap::reserve_wide(std::size_t units) {
  wide_.reserve(device_, units * view_.columns);
  view_.wide = wide_.data();
}

void DeviceSomMap::begin_sums(const SomGrid& grid) {
  wide_units_ = grid.wide().size();
  reserve_wide(wide_units_);
  std::vector<SomUnitGrid> units(view_.units);
  for (std::uint32_t u = 0; u < view_.units; ++u)
    units[u] = {grid.scales()[u], grid.quanta()[u], grid.slot(u)};
  cuda_check(cudaMemcpyAsync(grid_.data(), units.data(), grid_.bytes(), cudaMemcpyHostToDevice,
                             device_->stream()),
             "sums of a map");
  clear(narrow_, narrow_.size(), device_->stream());
  clear(wide_, grid.wide().size() * view_.columns, device_->stream());
  cuda_check(cudaStreamSynchronize(device_->stream()), "sums of a map");
}

void DeviceSomMap::set_codebook(const SomCodebook& codebook) { write_weights(0, codebook.weight); }

SomCodebook DeviceSomMap::codebook() const {
  SomCodebook host{view_.units, view_.columns,
                   std::vector<float>(std::size_t{view_.units} * view_.columns)};
  read_weights(0, host.weight);
  return host;
}

void DeviceSomMap::read_weights(std::uint32_t first, std::span<float> weights) const {
  const std::lock_guard lock(mutex_);
  by_columns(view_.units, first, weights.size() / view_.units, columns_,
             [&](const HostColumns<float>& piece, std::size_t begin, std::size_t size) {
               move_columns(piece, Weights{view_}, true, device_->stream());
               cuda_check(cudaMemcpyAsync(weights.data() + begin, piece.value, size * sizeof(float),
                                          cudaMemcpyDeviceToHost, device_->stream()),
                          "copy of a map");
               cuda_check(cudaStreamSynchronize(device_->stream()), "copy of a map");
             });
}

void DeviceSomMap::write_weights(std::uint32_t first, std::span<const float> weights) {
  const std::lock_guard lock(mutex_);
  by_columns(view_.units, first, weights.size() / view_.units, columns_,
             [&](const HostColumns<float>& piece, std::size_t begin, std::size_t size) {
               staging_.copy_to_device(piece.value, weights.data() + begin, size * sizeof(float));
               move_columns(piece, Weights{view_}, false, device_->stream());
               cuda_check(cudaStreamSynchronize(device_->stream()), "copy of a map");
             });
}

void DeviceSomMap::add_sums(const DeviceSomMap& other, std::uint32_t first, std::uint32_t last) {
  const cudaStream_t stream = device_->stream();
  cuda_check(cudaStreamSynchronize(other.device_->stream()), "sums of a map");
  add_columns(view_.narrow, other.view_.narrow, view_.units, view_.columns, first, last, stream);
  if (wide_units_ > 0)
    add_columns(view_.wide, other.view_.wide, static_cast<std::uint32_t>(wide_units_),
                view_.columns, first, last, stream);
  cuda_check(cudaStreamSynchronize(stream), "sums of a map");
}

void DeviceSomMap::take_weights(const DeviceSomMap& other, std::uint32_t first,
                                std::uint32_t last) {
  const cudaStream_t stream = device_->stream();
  cuda_check(cudaStreamSynchronize(other.device_->stream()), "weights of a map");
  const dim3 blocks(view_.slices(), blocks_for((last - first) * std::uint64_t{kSliceUnits}));
  take_weights_kernel<<<blocks, kBlockThreads, 0, stream>>>(view_, other.view_.weight, first, last);
  launch_check("take_weights_kernel");
  cuda_check(cudaStreamSynchronize(stream), "weights of a map");
}

void DeviceSomMap::read_sums(std::uint32_t first, std::span<std::int64_t> sums) const {
  const std::lock_guard lock(mutex_);
  const std::size_t count = sums.size() / view_.units;
  sum_columns_.reserve(device_, columns_at_once<std::int64_t>(view_.units, count) * view_.units);
  by_columns(view_.units, first, count, sum_columns_,
             [&](const HostColumns<std::int64_t>& piece, std::size_t begin, std::size_t size) {
               move_columns(piece, Sums{view_}, true, device_->stream());
               cuda_check(
                   cudaMemcpyAsync(sums.data() + begin, piece.value, size * sizeof(std::int64_t),
                                   cudaMemcpyDeviceToHost, device_->stream()),
                   "sums of a map");
               cuda_check(cudaStreamSynchronize(device_->stream()), "sums of a map");
             });
}

void DeviceSomMap::write_sums(std::uint32_t first, std::span<const std::int64_t> sums) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = sums.size() / view_.units;
  sum_columns_.reserve(device_, columns_at_once<std::int64_t>(view_.units, count) * view_.units);
  by_columns(view_.units, first, count, sum_columns_,
             [&](const HostColumns<std::int64_t>& piece, std::size_t begin, std::size_t size) {
               staging_.copy_to_device(piece.value, sums.data() + begin,
                                       size * sizeof(std::int64_t));
               move_columns(piece, Sums{view_}, false, device_->stream());
               cuda_check(cudaStreamSynchronize(device_->stream()), "sums of a map");
             });
}

}  // namespace kindred::cuda
