#include "gpu/cuda/device/memory_pool.cuh"

#include <cstdint>

namespace kindred::cuda {

std::shared_ptr<MemoryPool> MemoryPool::of(int ordinal) {
  return one_per_device<MemoryPool>(ordinal, [&] { return std::make_shared<MemoryPool>(ordinal); });
}

MemoryPool::MemoryPool(int ordinal) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypeNone;
  properties.location = {cudaMemLocationTypeDevice, ordinal};
  cuda_check(cudaMemPoolCreate(&pool_, &properties), "memory pool");
  std::uint64_t keep = UINT64_MAX;
  const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep);
  if (status == cudaSuccess) return;
  ignore_status(cudaMemPoolDestroy(pool_));
  cuda_check(status, "memory pool");
}

}  // namespace kindred::cuda
