#include "tests/break_device.h"

#include <cuda_runtime.h>

namespace kindred::test {
namespace {
__global__ void trap_kernel() { __trap(); }
}  // namespace

bool break_device() {
  trap_kernel<<<1, 1>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}

}  // namespace kindred::test
