#include "gpu/cuda/som/map.cuh"

#include <algorithm>
#include <type_traits>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 26;

/// Some columns in the host's layout: [columns, units], from column `first` of the map on.
template <typename T>
struct HostColumns {
  T* value;
  std::uint32_t first;
  std::uint32_t columns;
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
    if (slot == SomGrid::kNarrow) return map.narrow_sum(unit, column);
    return map.wide_sum(slot, column);
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

  // On the host, the units of a column lie side by side. Threads follow that order, so its memory
  // is read and written as a whole.
  const auto unit = static_cast<std::uint32_t>(i % units);
  const std::uint32_t column = host.first + static_cast<std::uint32_t>(i / units);
  if (to_host) {
    host.value[i] = values.get(unit, column);
  } else {
    values.set(unit, column, host.value[i]);
  }
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

/// Brings columns of the map from `first` on to the host, or, if T is const, from there, as many at
/// a time as fit the buffer, which may grow. Waits.
template <typename T, typename Values>
void move_columns(const DevicePointer& device, Staging& staging, const Values& values,
                  std::uint32_t first, std::span<T> host,
                  DeviceBuffer<std::remove_const_t<T>>& buffer, const char* what) {
  constexpr bool kToHost = !std::is_const_v<T>;
  const std::size_t units = values.map.units;
  const std::size_t count = host.size() / units;
  buffer.reserve(device, columns_at_once<T>(values.map.units, count) * units);
  const std::size_t at_once = buffer.size() / units;

  // The buffer has the host's layout, so a copy of it is one piece.
  for (std::size_t begin = 0; begin < count; begin += at_once) {
    const HostColumns<std::remove_const_t<T>> chunk = {
        buffer.data(), static_cast<std::uint32_t>(first + begin),
        static_cast<std::uint32_t>(std::min(at_once, count - begin))};
    const std::size_t size = chunk.columns * units;
    T* const on_host = host.data() + begin * units;

    // To the device: the copy, then the kernel. From there: the kernel, then the copy.
    if constexpr (!kToHost) staging.copy_to_device(chunk.value, on_host, size * sizeof(T));
    move_columns_kernel<<<blocks_for(size), kBlockThreads, 0, device->stream()>>>(chunk, values,
                                                                                  kToHost);
    launch_check("move_columns_kernel");
    if constexpr (kToHost) copy_values(on_host, chunk.value, size, device->stream(), what);

    device->stream().wait(what);
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
__global__ void copy_weights_kernel(SomMapView map, const float* other, std::uint32_t first,
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

  // The arrays of units are padded to whole slices, so that kernels need no check inside one.
  const std::size_t padded = std::size_t{view_.slices()} * kSliceUnits;
  weight_ = DeviceBuffer<float>(device_, padded * columns);
  narrow_ = DeviceBuffer<std::int32_t>(device_, std::size_t{units} * columns);
  grid_ = DeviceBuffer<SomUnitGrid>(device_, units);
  squared_norm_ = DeviceBuffer<float>(device_, padded);
  exact_norm_ = DeviceBuffer<double>(device_, padded);
  room_.weights = DeviceBuffer<float>(device_, columns_at_once<float>(units, columns) * units);

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

  // The device reads scale, quantum and slot of a unit as one.
  std::vector<SomUnitGrid> units(view_.units);
  for (std::uint32_t u = 0; u < view_.units; ++u)
    units[u] = {grid.scales()[u], grid.quanta()[u], grid.slot(u)};

  copy_values(grid_.data(), units.data(), units.size(), device_->stream(), "sums of a map");
  clear(narrow_, narrow_.size(), device_->stream());
  clear(wide_, grid.wide().size() * view_.columns, device_->stream());

  // The host's copy of the units must last until the device has read it.
  device_->stream().wait("sums of a map");
}

void DeviceSomMap::read_weights(std::uint32_t first, std::span<float> weights) const {
  const std::lock_guard lock(room_.mutex);
  move_columns(device_, staging_, Weights{view_}, first, weights, room_.weights, "copy of a map");
}

void DeviceSomMap::write_weights(std::uint32_t first, std::span<const float> weights) {
  const std::lock_guard lock(room_.mutex);
  move_columns(device_, staging_, Weights{view_}, first, weights, room_.weights, "copy of a map");
}

void DeviceSomMap::add_sums(const DeviceSomMap& other, std::uint32_t first, std::uint32_t last) {
  // The other device must have its sums before they are read here. That it goes on to change other
  // columns does no harm.
  const cudaStream_t stream = device_->stream();
  other.device_->stream().wait("sums of a map");

  add_columns(view_.narrow, other.view_.narrow, view_.units, view_.columns, first, last, stream);
  if (wide_units_ > 0)
    add_columns(view_.wide, other.view_.wide, static_cast<std::uint32_t>(wide_units_),
                view_.columns, first, last, stream);

  device_->stream().wait("sums of a map");
}

void DeviceSomMap::copy_weights(const DeviceSomMap& other, std::uint32_t first,
                                std::uint32_t last) {
  // The other device must have moved its units before they are read here.
  const cudaStream_t stream = device_->stream();
  other.device_->stream().wait("weights of a map");

  const dim3 blocks(view_.slices(), blocks_for((last - first) * std::uint64_t{kSliceUnits}));
  copy_weights_kernel<<<blocks, kBlockThreads, 0, stream>>>(view_, other.view_.weight, first, last);
  launch_check("copy_weights_kernel");
  device_->stream().wait("weights of a map");
}

void DeviceSomMap::read_sums(std::uint32_t first, std::span<std::int64_t> sums) const {
  const std::lock_guard lock(room_.mutex);
  move_columns(device_, staging_, Sums{view_}, first, sums, room_.sums, "sums of a map");
}

void DeviceSomMap::write_sums(std::uint32_t first, std::span<const std::int64_t> sums) {
  const std::lock_guard lock(room_.mutex);
  move_columns(device_, staging_, Sums{view_}, first, sums, room_.sums, "sums of a map");
}

}  // namespace kindred::cuda
