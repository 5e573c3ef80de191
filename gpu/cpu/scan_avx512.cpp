#include "gpu/cpu/scan.h"

// The scan with AVX-512. Contract: gpu/cpu/scan.h.
// Floor: a mask load and a masked add for 16 documents of a plane use both 512-bit ports for one
// cycle. So a plane costs documents / 16 cycles, whereas a list costs one to two cycles per
// posting.
// Shape: 128 documents stay in eight registers while all planes are added, tested and stored as 0:
// the accumulators are touched once, and an `add` is broadcast once for eight masked adds.

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the register that its own intrinsics leave undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#define KINDRED_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kVectors = 8;
constexpr std::uint32_t kLanes = 16;
static_assert(kVectors * kLanes == kScanGroup);

/// sum += add in the lanes of `mask`, in place: from the intrinsic, GCC 12 makes three
/// instructions, two of them copies.
KINDRED_TARGET inline void add_masked(__m512i& sum, __mmask16 mask, __m512i add) {
  asm("vpaddd %1, %0, %0 %{%2%}" : "+v"(sum) : "v"(add), "Yk"(mask));
}

KINDRED_TARGET inline void add_planes(const ScanInput& input, std::uint32_t first,
                                      __m512i (&sum)[kVectors]) {
  __m512i s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
  __m512i s4 = sum[4], s5 = sum[5], s6 = sum[6], s7 = sum[7];
  const BitPlane* const planes_end = input.planes + input.plane_count;
  for (const BitPlane* plane = input.planes; plane != planes_end; ++plane) {
    std::uint16_t* bits = const_cast<std::uint16_t*>(plane->bits) + first / kLanes;  // only read
    const __m512i add = _mm512_set1_epi32(static_cast<int>(plane->add));
    add_masked(s0, _load_mask16(bits), add);
    add_masked(s1, _load_mask16(bits + 1), add);
    add_masked(s2, _load_mask16(bits + 2), add);
    add_masked(s3, _load_mask16(bits + 3), add);
    add_masked(s4, _load_mask16(bits + 4), add);
    add_masked(s5, _load_mask16(bits + 5), add);
    add_masked(s6, _load_mask16(bits + 6), add);
    add_masked(s7, _load_mask16(bits + 7), add);
  }
  sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
  sum[4] = s4, sum[5] = s5, sum[6] = s6, sum[7] = s7;
}

KINDRED_TARGET inline void append(Survivors& survivors, __mmask16 passed, std::uint32_t first,
                                  __m512i sums) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i documents = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first)));
  _mm512_storeu_si512(survivors.document + survivors.size,
                      _mm512_maskz_compress_epi32(passed, documents));
  _mm512_storeu_si512(survivors.sum + survivors.size, _mm512_maskz_compress_epi32(passed, sums));
  survivors.size += static_cast<std::uint32_t>(__builtin_popcount(passed));
}

}  // namespace

KINDRED_TARGET std::uint32_t scan_avx512(const ScanInput& input, Survivors& survivors) {
  const __m512 threshold = _mm512_set1_ps(input.threshold);
  const __m512i lacks = _mm512_set1_epi32(static_cast<int>(input.lacks));
  for (std::uint32_t first = input.begin; first < input.end; first += kScanGroup) {
    if (survivors.size + kScanGroup > Survivors::kCapacity) return first;
    std::uint32_t* accumulators = input.accumulators + first;
    __m512i sum[kVectors];
    for (std::uint32_t v = 0; v < kVectors; ++v)
      sum[v] = _mm512_load_si512(accumulators + std::size_t{v} * kLanes);
    if (input.plane_count > 0) add_planes(input, first, sum);
    __mmask16 passed[kVectors];
    unsigned any = 0;
    for (std::uint32_t v = 0; v < kVectors; ++v) {
      const __m512 value =
          _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(sum[v], lacks)),
                        _mm512_load_ps(input.reciprocals + first + std::size_t{v} * kLanes));
      passed[v] = _mm512_cmp_ps_mask(value, threshold, _CMP_GT_OQ);
      any |= passed[v];
      _mm512_store_si512(accumulators + std::size_t{v} * kLanes, _mm512_setzero_si512());
    }
    if (any == 0) continue;
    for (std::uint32_t v = 0; v < kVectors; ++v) {
      if (passed[v] == 0) continue;
      const std::uint32_t d = first + v * kLanes;
      if (input.allowed != nullptr)
        passed[v] = static_cast<__mmask16>(passed[v] & input.allowed[d / 64] >> d % 64);
      append(survivors, passed[v], d, sum[v]);
    }
  }
  return input.end;
}

}  // namespace kindred::cpu
#endif
