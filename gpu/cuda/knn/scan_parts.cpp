#include "gpu/cuda/knn/scan_parts.cuh"

#include "gpu/cuda/search/scan_one.cuh"
#include "gpu/knn/row_shares.h"

namespace kindred::cuda {
namespace {

/// Parts that differ by one row at most.
std::vector<std::uint32_t> equal_parts(std::uint32_t rows, std::uint32_t parts) {
  std::vector<std::uint32_t> begin;
  for (std::uint32_t part = 0; part <= parts; ++part)
    begin.push_back(part * (rows / parts) + std::min(part, rows % parts));
  return begin;
}

std::uint64_t steps_of(std::uint64_t entries) {
  return (entries + kEntriesOfStep - 1) / kEntriesOfStep;
}

}  // namespace

ScanParts::ScanParts(const DeviceMirror& mirror) {
  const DevicePointer& device = mirror.device();
  if (!pays_to_scan(*device, mirror.entries())) return;
  count_ = scan_parts(*device, mirror.view().places);
  std::vector<std::uint32_t> cost = mirror.row_sizes();
  const std::uint64_t steps =
      steps_of(largest_share(cost, equal_parts(mirror.view().places, count_)));
  if (steps <= 1) return;  // looking up where a part begins would only cost time
  for (std::uint32_t& own : cost) own += kEntriesOfStep / kRowsOfStep;
  const std::vector<std::uint32_t> begin = share_rows(cost, count_);
  if (steps_of(largest_share(cost, begin)) < steps) begin_ = upload<std::uint32_t>(device, begin);
}

}  // namespace kindred::cuda
