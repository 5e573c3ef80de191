#include "gpu/cpu/scan.h"

// The scan in plain C++, for any processor.
// Floor: one load and one store of every accumulator and one load of its reciprocal. Layouts for it
// have no bit planes, since adding a bit costs more here than adding a posting. If there are
// planes, it adds them all the same.

namespace kindred::cpu {
namespace {

constexpr std::uint32_t kGroup = 64;

void add_planes(const ScanInput& input, std::uint32_t first) {
  std::uint32_t* sums = input.accumulators + first;
  for (std::size_t p = 0; p < input.plane_count; ++p) {
    const std::uint16_t* bits = input.planes[p].bits + first / 16;
    for (std::uint32_t i = 0; i < kGroup; ++i)
      sums[i] += (bits[i / 16] >> i % 16 & 1u) * input.planes[p].add;
  }
}

}  // namespace

std::uint32_t scan_baseline(const ScanInput& input, Survivors& survivors) {
  for (std::uint32_t first = input.begin; first < input.end; first += kGroup) {
    if (first % kScanGroup == 0 && survivors.size + kScanGroup > Survivors::kCapacity) return first;
    if (input.plane_count > 0) add_planes(input, first);
    std::uint32_t* sums = input.accumulators + first;
    const float* reciprocals = input.reciprocals + first;
    std::uint64_t passed = 0;
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      const auto most = static_cast<std::int32_t>(sums[i] + input.lacks);
      const float value = static_cast<float>(most) * reciprocals[i];
      passed |= std::uint64_t{value > input.threshold} << i;
    }
    if (passed != 0 && input.allowed != nullptr) passed &= input.allowed[first / 64];
    for (; passed != 0; passed &= passed - 1) {
      const auto i = static_cast<std::uint32_t>(__builtin_ctzll(passed));
      survivors.document[survivors.size] = first + i;
      survivors.sum[survivors.size++] = sums[i];
    }
    for (std::uint32_t i = 0; i < kGroup; ++i) sums[i] = 0;
  }
  return input.end;
}

ScanFunction choose_scan(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return scan_avx512;
  if (set == InstructionSet::kAvx2) return scan_avx2;
#endif
  (void)set;
  return scan_baseline;
}

}  // namespace kindred::cpu
