#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "gpu/cuda/device/device_mirror.cuh"
#include "gpu/cuda/device/staging.cuh"
#include "gpu/cuda/knn/query_workspace.cuh"
#include "gpu/cuda/knn/scan_one.cuh"
#include "gpu/cuda/knn/search.cuh"
#include "gpu/pool.h"

namespace kindred::cuda {

/// What a backend and those refreshed from it share.
struct Context {
  /// Called in a scope of the device. `threads`: CPU threads that a call may use; 0 = one per core.
  Context(DevicePointer its_device, std::size_t threads)
      : device(std::move(its_device)), staging(device, threads), code(enable_search(*device)) {
    enable_scan();
  }
  ~Context() {
    const DeviceScope scope(*device, std::nothrow);
    workspaces.clear();
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  DevicePointer device;
  Staging staging;
  const KernelCode code;  ///< of the kernels that search
  /// After an error a workspace may still have work in flight, and is destroyed when that is done.
  Pool<QueryWorkspace> workspaces{[] {
    return std::make_unique<QueryWorkspace>();
  }};
  std::atomic<bool> expects_hard = false;  ///< the last chunk had hard queries
};

/// What a call asks for, beyond the queries.
struct Request {
  std::uint32_t k = 0;
  const std::uint32_t* slot_bits = nullptr;
  const std::uint32_t* rows = nullptr;  ///< places, in device memory
  std::uint32_t row_count = 0;
  std::span<Neighbor> neighbors;  ///< [queries, stride], to be written from `column` on
  std::size_t stride = 0;
  std::size_t column = 0;
  std::span<unsigned long long> after;  ///< [queries] see SearchJob::after
  std::span<const std::uint32_t> exclude;
  std::uint32_t labels = 0;
  std::span<LabelShare> shares;

  bool votes() const { return labels > 0; }
  /// Of one query.
  std::size_t answer_bytes() const {
    if (votes()) return labels * sizeof(LabelShare);
    return k * sizeof(Neighbor);
  }
  void* answer_of(std::size_t q) const {
    if (votes()) return shares.data() + q * labels;
    return neighbors.data() + q * stride + column;
  }
};

/// Writes the answer to a request, which has been checked. Any number of threads may call it.
/// @throws Error kInvalidArgument for queries that are not as QueryView says; kOutOfMemory,
/// kDevice.
void run_queries(Context& context, const DeviceMirror& mirror, const ScanParts& scan,
                 const QueryView& queries, const Request& request);

}  // namespace kindred::cuda
