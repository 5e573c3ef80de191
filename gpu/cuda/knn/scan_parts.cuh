#pragma once

#include "gpu/cuda/mirror/device_mirror.cuh"

namespace kindred::cuda {

/// How the rows of a mirror are shared out to the blocks that scan them for a single query.
class ScanParts {
 public:
  /// @throws Error kOutOfMemory, kDevice.
  explicit ScanParts(const DeviceMirror& mirror);

  /// True if a scan answers sooner than a search of postings.
  bool pays() const { return count_ > 0; }
  std::uint32_t count() const { return count_; }
  /// The first place of each part, in device memory; null if parts have equal numbers of rows.
  const std::uint32_t* begin() const { return begin_.size() > 0 ? begin_.data() : nullptr; }

 private:
  std::uint32_t count_ = 0;
  DeviceBuffer<std::uint32_t> begin_;
};

}  // namespace kindred::cuda
