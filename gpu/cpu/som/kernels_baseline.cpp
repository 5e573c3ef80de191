// The kernels of a map in plain vectors, for any processor. Contract: gpu/cpu/som/kernels.h.

#include "gpu/cpu/som/kernels.h"

#define KINDRED_TARGET

namespace {
constexpr int kVectors = 2;
}  // namespace

#include "gpu/cpu/som/kernels_body.h"

namespace kindred::cpu {

SomKernels som_kernels_baseline() { return kKernels; }

SomKernels choose_som_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return som_kernels_avx512();
  if (set == InstructionSet::kAvx2) return som_kernels_avx2();
#endif
  (void)set;
  return som_kernels_baseline();
}

}  // namespace kindred::cpu
