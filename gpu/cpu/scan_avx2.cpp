#include "gpu/cpu/scan.h"

// The scan with AVX2. Contract: gpu/cpu/scan.h.
// Floor: expanding 8 bits of a plane to a vector mask and adding under it takes four vector
// operations on three ports. So a plane costs documents / 6 cycles, which pays only for fuller
// planes.
// Shape: as scan_avx512.cpp, with 32 documents in four registers at a time.

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstring>

#define KINDRED_TARGET __attribute__((target("avx2")))

namespace kindred::cpu {
namespace {

constexpr unsigned kVectors = 4;
constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kGroup = kVectors * kLanes;

KINDRED_TARGET inline void add_planes(const ScanInput& input, std::uint32_t first,
                                      __m256i (&sum)[kVectors]) {
  __m256i selector[kVectors];
  const __m256i low = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (unsigned v = 0; v < kVectors; ++v)
    selector[v] = _mm256_slli_epi32(low, static_cast<int>(v * kLanes));
  const BitPlane* const planes_end = input.planes + input.plane_count;
  for (const BitPlane* plane = input.planes; plane != planes_end; ++plane) {
    std::int32_t word;
    std::memcpy(&word, plane->bits + first / 16, sizeof(word));
    const __m256i bits = _mm256_set1_epi32(word);
    const __m256i add = _mm256_set1_epi32(static_cast<int>(plane->add));
    for (unsigned v = 0; v < kVectors; ++v) {
      const __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(bits, selector[v]), selector[v]);
      sum[v] = _mm256_add_epi32(sum[v], _mm256_and_si256(set, add));
    }
  }
}

/// Bits of the 32 documents from `first` whose value is above the threshold.
KINDRED_TARGET inline std::uint32_t test(const ScanInput& input, std::uint32_t first,
                                         const __m256i (&sum)[kVectors]) {
  const __m256i lacks = _mm256_set1_epi32(static_cast<int>(input.lacks));
  std::uint32_t passed = 0;
  for (unsigned v = 0; v < kVectors; ++v) {
    const __m256 value =
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(sum[v], lacks)),
                      _mm256_load_ps(input.reciprocals + first + std::size_t{v} * kLanes));
    const __m256 above = _mm256_cmp_ps(value, _mm256_set1_ps(input.threshold), _CMP_GT_OQ);
    passed |= static_cast<std::uint32_t>(_mm256_movemask_ps(above)) << v * kLanes;
  }
  return passed;
}

}  // namespace

KINDRED_TARGET std::uint32_t scan_avx2(const ScanInput& input, Survivors& survivors) {
  for (std::uint32_t first = input.begin; first < input.end; first += kGroup) {
    if (first % kScanGroup == 0 && survivors.size + kScanGroup > Survivors::kCapacity) return first;
    auto* accumulators = reinterpret_cast<__m256i*>(input.accumulators + first);
    __m256i sum[kVectors];
    for (unsigned v = 0; v < kVectors; ++v) sum[v] = _mm256_load_si256(accumulators + v);
    if (input.plane_count > 0) add_planes(input, first, sum);
    std::uint32_t passed = test(input, first, sum);
    for (unsigned v = 0; v < kVectors; ++v)
      _mm256_store_si256(accumulators + v, _mm256_setzero_si256());
    if (passed == 0) continue;
    if (input.allowed != nullptr)
      passed &= static_cast<std::uint32_t>(input.allowed[first / 64] >> first % 64);
    alignas(32) std::uint32_t sums[kGroup];
    for (unsigned v = 0; v < kVectors; ++v)
      _mm256_store_si256(reinterpret_cast<__m256i*>(sums) + v, sum[v]);
    for (; passed != 0; passed &= passed - 1) {
      const auto i = static_cast<std::uint32_t>(__builtin_ctz(passed));
      survivors.document[survivors.size] = first + i;
      survivors.sum[survivors.size++] = sums[i];
    }
  }
  return input.end;
}

}  // namespace kindred::cpu
#endif
