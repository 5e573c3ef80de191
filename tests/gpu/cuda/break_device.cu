#include "tests/gpu/cuda/break_device.h"

#include <cuda_runtime.h>

namespace kindred::test {
namespace {
__global__ void trap_kernel() { __trap(); }
}  // namespace

bool break_device() {
  cudaStream_t stream = nullptr;  // is lost with the device
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return true;
  trap_kernel<<<1, 1, 0, stream>>>();
  return cudaStreamSynchronize(stream) != cudaSuccess;
}

}  // namespace kindred::test
