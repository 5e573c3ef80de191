#include "gpu/cpu/scan.h"

#include <cstring>

namespace kindred::cpu {
namespace {

namespace baseline {

// The scan in plain C++, for any processor.
// Floor: one load and one store of every accumulator and one load of its reciprocal. Layouts for it
// have no bit planes, since adding a bit costs more here than adding a posting. If there are
// planes, it adds them all the same.

constexpr std::uint32_t kGroup = 64;

void add_planes(const ScanInput& input, std::uint32_t first) {
  std::uint32_t* sums = input.accumulators + first;
  for (std::size_t p = 0; p < input.plane_count; ++p) {
    const std::uint16_t* bits = input.planes[p].bits + first / 16;
    for (std::uint32_t i = 0; i < kGroup; ++i)
      sums[i] += (bits[i / 16] >> i % 16 & 1u) * input.planes[p].add;
  }
}

std::uint32_t scan(const ScanInput& input, Survivors& survivors) {
  for (std::uint32_t first = input.begin; first < input.end; first += kGroup) {
    // Survivors have room for a whole group of documents or none is begun, so that there is one
    // check for many.
    if (first % kScanGroup == 0 && survivors.size + kScanGroup > Survivors::kCapacity) return first;
    if (input.plane_count > 0) add_planes(input, first);

    // What is compared is what docs/scoring.md calls the scan in single precision.
    std::uint32_t* sums = input.accumulators + first;
    const float* reciprocals = input.reciprocals + first;
    std::uint64_t passed = 0;
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      const auto most = static_cast<std::int32_t>(sums[i] + input.lacks);
      const float value = static_cast<float>(most) * reciprocals[i];
      passed |= std::uint64_t{value > input.threshold} << i;
    }

    // Documents that a filter excludes are dropped after the test, which few pass.
    if (passed != 0 && input.allowed != nullptr) passed &= input.allowed[first / 64];

    for (; passed != 0; passed &= passed - 1) {
      const auto i = static_cast<std::uint32_t>(__builtin_ctzll(passed));
      survivors.document[survivors.size] = first + i;
      survivors.sum[survivors.size++] = sums[i];
    }

    // The next tile finds zeros.
    for (std::uint32_t i = 0; i < kGroup; ++i) sums[i] = 0;
  }
  return input.end;
}

}  // namespace baseline

#if defined(__x86_64__)

namespace avx2 {

// The scan with AVX2.
// Floor: expanding 8 bits of a plane to a vector mask and adding under it takes four vector
// operations on three ports. So a plane costs documents / 6 cycles, which pays only for fuller
// planes.
// Shape: as AVX-512, with 32 documents in four registers at a time.

constexpr unsigned kVectors = 4;
constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kGroup = kVectors * kLanes;

KINDRED_AVX2 inline void add_planes(const ScanInput& input, std::uint32_t first,
                                    __m256i (&sum)[kVectors]) {
  // selector[v] has the bit of each document of vector v.
  __m256i selector[kVectors];
  const __m256i low = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (unsigned v = 0; v < kVectors; ++v)
    selector[v] = _mm256_slli_epi32(low, static_cast<int>(v * kLanes));

  const BitPlane* const planes_end = input.planes + input.plane_count;
  for (const BitPlane* plane = input.planes; plane != planes_end; ++plane) {
    // One word has the bits of all 32 documents. Each lane keeps its own bit, and adds if it is
    // set.
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
KINDRED_AVX2 inline std::uint32_t test(const ScanInput& input, std::uint32_t first,
                                       const __m256i (&sum)[kVectors]) {
  const __m256i lacks = _mm256_set1_epi32(static_cast<int>(input.lacks));

  // The same operations as in plain C++, so the same documents pass.
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

KINDRED_AVX2 std::uint32_t scan(const ScanInput& input, Survivors& survivors) {
  for (std::uint32_t first = input.begin; first < input.end; first += kGroup) {
    // Survivors have room for a whole scan group or none is begun.
    if (first % kScanGroup == 0 && survivors.size + kScanGroup > Survivors::kCapacity) return first;

    // The sums stay in registers until they are tested.
    auto* accumulators = reinterpret_cast<__m256i*>(input.accumulators + first);
    __m256i sum[kVectors];
    for (unsigned v = 0; v < kVectors; ++v) sum[v] = _mm256_load_si256(accumulators + v);
    if (input.plane_count > 0) add_planes(input, first, sum);

    std::uint32_t passed = test(input, first, sum);

    // The next tile finds zeros. Most groups have no survivor and end here.
    for (unsigned v = 0; v < kVectors; ++v)
      _mm256_store_si256(accumulators + v, _mm256_setzero_si256());
    if (passed == 0) continue;

    if (input.allowed != nullptr)
      passed &= static_cast<std::uint32_t>(input.allowed[first / 64] >> first % 64);

    // Sums are looked up by number, so they go to memory once for all survivors of the group.
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

}  // namespace avx2

namespace avx512 {

// The scan with AVX-512.
// Floor: a mask load and a masked add for 16 documents of a plane use both 512-bit ports for one
// cycle. So a plane costs documents / 16 cycles, whereas a list costs one to two cycles per
// posting.
// Shape: 128 documents stay in eight registers while all planes are added, tested and stored as 0:
// the accumulators are touched once, and an `add` is broadcast once for eight masked adds.

constexpr std::uint32_t kVectors = 8;
constexpr std::uint32_t kLanes = 16;
static_assert(kVectors * kLanes == kScanGroup);

/// sum += add in the lanes of `mask`, in place: from the intrinsic, GCC 12 makes three
/// instructions, two of them copies.
KINDRED_AVX512 inline void add_masked(__m512i& sum, __mmask16 mask, __m512i add) {
  asm("vpaddd %1, %0, %0 %{%2%}" : "+v"(sum) : "v"(add), "Yk"(mask));
}

KINDRED_AVX512 inline void add_planes(const ScanInput& input, std::uint32_t first,
                                      __m512i (&sum)[kVectors]) {
  // Named variables stay in registers, where an array might lie in memory.
  __m512i s0 = sum[0];
  __m512i s1 = sum[1];
  __m512i s2 = sum[2];
  __m512i s3 = sum[3];
  __m512i s4 = sum[4];
  __m512i s5 = sum[5];
  __m512i s6 = sum[6];
  __m512i s7 = sum[7];

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

  sum[0] = s0;
  sum[1] = s1;
  sum[2] = s2;
  sum[3] = s3;
  sum[4] = s4;
  sum[5] = s5;
  sum[6] = s6;
  sum[7] = s7;
}

KINDRED_AVX512 inline void append(Survivors& survivors, __mmask16 passed, std::uint32_t first,
                                  __m512i sums) {
  // The lanes that passed are packed to the front. The store writes a whole vector; the survivors
  // have room for what is too much.
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i documents = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first)));
  _mm512_storeu_si512(survivors.document + survivors.size,
                      _mm512_maskz_compress_epi32(passed, documents));
  _mm512_storeu_si512(survivors.sum + survivors.size, _mm512_maskz_compress_epi32(passed, sums));

  survivors.size += static_cast<std::uint32_t>(__builtin_popcount(passed));
}

KINDRED_AVX512 std::uint32_t scan(const ScanInput& input, Survivors& survivors) {
  const __m512 threshold = _mm512_set1_ps(input.threshold);
  const __m512i lacks = _mm512_set1_epi32(static_cast<int>(input.lacks));
  for (std::uint32_t first = input.begin; first < input.end; first += kScanGroup) {
    // Survivors have room for a whole group or none is begun.
    if (survivors.size + kScanGroup > Survivors::kCapacity) return first;

    std::uint32_t* accumulators = input.accumulators + first;
    __m512i sum[kVectors];
    for (std::uint32_t v = 0; v < kVectors; ++v)
      sum[v] = _mm512_load_si512(accumulators + std::size_t{v} * kLanes);

    if (input.plane_count > 0) add_planes(input, first, sum);

    // Tests all and stores zeros for the next tile. Most groups have no survivor and end here.
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

    // Documents that a filter excludes are dropped after the test, which few pass.
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

}  // namespace avx512

#endif
}  // namespace

ScanFunction choose_scan(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return avx512::scan;
  if (set == InstructionSet::kAvx2) return avx2::scan;
#endif
  (void)set;
  return baseline::scan;
}

}  // namespace kindred::cpu
