// The kernels of a map with AVX-512. Contract: gpu/cpu/som/kernels.h.

#if defined(__x86_64__)
#include "gpu/cpu/som/kernels.h"

#define KINDRED_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace {
constexpr int kVectors = 8;
}  // namespace

#include "gpu/cpu/som/kernels_body.h"

namespace kindred::cpu {

SomKernels som_kernels_avx512() { return kKernels; }

}  // namespace kindred::cpu
#endif
