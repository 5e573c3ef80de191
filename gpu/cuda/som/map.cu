#include "gpu/cuda/som/map.cuh"

#include <algorithm>

#include "gpu/cuda/device/launch.cuh"

namespace kindred::cuda {
namespace {

constexpr std::size_t kFloatsAtOnce = std::size_t{1} << 24;

/// Some columns in the host's layout: [columns, units], from column `first` of the map on.
struct HostColumns {
  float* value;
  std::uint32_t first, columns;
};

/// Where the device keeps a unit's weight, or sum.
struct CodebookPlace {
  SomMapView map;
  __device__ float& operator()(std::uint32_t unit, std::uint32_t column) const {
    return map.weight[map.place(unit, column)];
  }
};
struct SumsPlace {
  SomMapView map;
  __device__ float& operator()(std::uint32_t unit, std::uint32_t column) const {
    return map.sum[std::size_t{unit} * map.columns + column];
  }
};

enum class Way { kToDevice, kAddOnDevice, kToHost };

template <typename Place>
__global__ void move_columns_kernel(HostColumns host, Place place, Way way) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
  const std::uint32_t units = place.map.units;
  if (i >= std::uint64_t{host.columns} * units) return;
  float& on_device = place(static_cast<std::uint32_t>(i % units),
                           host.first + static_cast<std::uint32_t>(i / units));
  if (way == Way::kToHost) {
    host.value[i] = on_device;
  } else {
    on_device = way == Way::kToDevice ? host.value[i] : on_device + host.value[i];
  }
}

template <typename Place>
void move_columns(const HostColumns& host, const Place& place, Way way, cudaStream_t stream) {
  const std::uint64_t size = std::uint64_t{host.columns} * place.map.units;
  move_columns_kernel<<<blocks_for(size), kBlockThreads, 0, stream>>>(host, place, way);
  launch_check("move_columns_kernel");
}

template <typename T>
void clear(DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0)
    cuda_check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "a map's memory");
}

}  // namespace

DeviceSomMap::DeviceSomMap(DevicePointer device, Staging& staging, std::uint32_t units,
                           std::uint32_t columns)
    : device_(std::move(device)), staging_(staging) {
  view_.units = units;
  view_.columns = columns;
  const std::size_t padded = std::size_t{view_.slices()} * kSliceUnits;
  weight_ = DeviceBuffer<float>(device_, padded * columns);
  sum_ = DeviceBuffer<float>(device_, std::size_t{units} * columns);
  squared_norm_ = DeviceBuffer<float>(device_, padded);
  exact_norm_ = DeviceBuffer<double>(device_, padded);
  columns_ = DeviceBuffer<float>(
      device_,
      std::min(std::size_t{columns}, std::max<std::size_t>(1, kFloatsAtOnce / units)) * units);
  view_.weight = weight_.data();
  view_.sum = sum_.data();
  view_.squared_norm = squared_norm_.data();
  view_.exact_norm = exact_norm_.data();
  clear(weight_, device_->stream());  // padding is never written again
  empty_sums();
}

void DeviceSomMap::empty_sums() { clear(sum_, device_->stream()); }

/// Calls move(columns, place of their first value on the host, number of values) for all columns,
/// as many at a time as fit.
template <typename Move>
void by_columns(const SomMapView& map, float* columns, std::size_t size, Move&& move) {
  const auto at_once = static_cast<std::uint32_t>(size / map.units);
  for (std::uint32_t first = 0; first < map.columns; first += at_once) {
    const HostColumns piece = {columns, first, std::min(at_once, map.columns - first)};
    move(piece, std::size_t{first} * map.units, std::size_t{piece.columns} * map.units);
  }
}

template <typename Place>
void DeviceSomMap::send(const SomCodebook& host, const Place& place, bool adds) {
  by_columns(
      view_, columns_.data(), columns_.size(),
      [&](const HostColumns& piece, std::size_t begin, std::size_t size) {
        staging_.copy_to_device(piece.value, host.weight.data() + begin, size * sizeof(float));
        move_columns(piece, place, adds ? Way::kAddOnDevice : Way::kToDevice, device_->stream());
        cuda_check(cudaStreamSynchronize(device_->stream()), "copy of a map");
      });
}

template <typename Place>
SomCodebook DeviceSomMap::fetch(const Place& place) const {
  SomCodebook host{view_.units, view_.columns,
                   std::vector<float>(std::size_t{view_.units} * view_.columns)};
  by_columns(view_, columns_.data(), columns_.size(),
             [&](const HostColumns& piece, std::size_t begin, std::size_t size) {
               move_columns(piece, place, Way::kToHost, device_->stream());
               cuda_check(
                   cudaMemcpyAsync(host.weight.data() + begin, piece.value, size * sizeof(float),
                                   cudaMemcpyDeviceToHost, device_->stream()),
                   "copy of a map");
               cuda_check(cudaStreamSynchronize(device_->stream()), "copy of a map");
             });
  return host;
}

void DeviceSomMap::set_codebook(const SomCodebook& codebook) {
  send(codebook, CodebookPlace{view_}, false);
}
SomCodebook DeviceSomMap::codebook() const { return fetch(CodebookPlace{view_}); }
void DeviceSomMap::add_sums(const SomCodebook& sums) { send(sums, SumsPlace{view_}, true); }
SomCodebook DeviceSomMap::sums() const { return fetch(SumsPlace{view_}); }

}  // namespace kindred::cuda
