#pragma once

#include "gpu/cuda/device/device_buffer.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/cuda/som/view.cuh"

namespace kindred::cuda {

/// The codebook and the sums of a map on the device. Copies them from and to the host. Borrows the
/// staging.
class DeviceSomMap {
 public:
  /// @throws Error kOutOfMemory
  DeviceSomMap(DevicePointer device, Staging& staging, std::uint32_t units, std::uint32_t columns);

  const SomMapView& view() const { return view_; }

  void set_codebook(const SomCodebook& codebook);
  SomCodebook codebook() const;
  void add_sums(const SomCodebook& sums);
  SomCodebook sums() const;
  void empty_sums();

 private:
  template <typename Place>
  void send(const SomCodebook& host, const Place& place, bool adds);
  template <typename Place>
  SomCodebook fetch(const Place& place) const;

  DevicePointer device_;
  Staging& staging_;
  DeviceBuffer<float> weight_, squared_norm_, sum_;
  DeviceBuffer<double> exact_norm_;
  mutable DeviceBuffer<float> columns_;  // some columns in the host's layout
  SomMapView view_;
};

}  // namespace kindred::cuda
