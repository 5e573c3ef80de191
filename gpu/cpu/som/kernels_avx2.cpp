// The kernels of a map with AVX2. Contract: gpu/cpu/som/kernels.h.

#if defined(__x86_64__)
#include "gpu/cpu/som/kernels.h"

#define KINDRED_TARGET __attribute__((target("avx2")))

namespace {
constexpr int kVectors = 4;
}  // namespace

#include "gpu/cpu/som/kernels_body.h"

namespace kindred::cpu {

SomKernels som_kernels_avx2() { return kKernels; }

}  // namespace kindred::cpu
#endif
