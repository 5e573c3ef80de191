#include "gpu/cpu/som/kernels.h"

#include <limits>

namespace kindred::cpu {
namespace {

namespace baseline {
constexpr int kVectors = 2;
#define KINDRED_TARGET
#include "gpu/cpu/som/kernels_body.h"
#undef KINDRED_TARGET
}  // namespace baseline

#if defined(__x86_64__)
namespace avx2 {
constexpr int kVectors = 4;
#define KINDRED_TARGET KINDRED_AVX2
#include "gpu/cpu/som/kernels_body.h"
#undef KINDRED_TARGET
}  // namespace avx2

namespace avx512 {
constexpr int kVectors = 8;
#define KINDRED_TARGET KINDRED_AVX512
#include "gpu/cpu/som/kernels_body.h"
#undef KINDRED_TARGET
}  // namespace avx512
#endif

}  // namespace

SomKernels choose_som_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return avx512::kKernels;
  if (set == InstructionSet::kAvx2) return avx2::kKernels;
#endif
  (void)set;
  return baseline::kKernels;
}

}  // namespace kindred::cpu
