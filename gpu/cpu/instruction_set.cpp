#include "gpu/cpu/instruction_set.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/error.h"

namespace kindred::cpu {
namespace {

InstructionSet best_instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return InstructionSet::kAvx512;
  if (__builtin_cpu_supports("avx2")) return InstructionSet::kAvx2;
#endif
  return InstructionSet::kBaseline;
}

constexpr std::array kNames = {"baseline", "avx2", "avx512"};

}  // namespace

const char* name(InstructionSet set) { return kNames[static_cast<std::size_t>(set)]; }

std::string describe(InstructionSet set, std::size_t threads) {
  return std::string("CPU (") + name(set) + ", " + std::to_string(threads) +
         (threads == 1 ? " thread)" : " threads)");
}

InstructionSet choose_instruction_set() {
  const InstructionSet best = best_instruction_set();
  const char* wanted = std::getenv("KINDRED_SIMD");

  if (wanted == nullptr || *wanted == '\0') return best;
  const auto found = std::ranges::find(kNames, std::string_view(wanted));
  if (found == kNames.end())
    throw Error(Errc::kUnsupported, std::string("KINDRED_SIMD is \"") + wanted +
                                        "\"; expected baseline, avx2 or avx512");

  // Sets are ordered, each containing the one before.
  const auto set = static_cast<InstructionSet>(found - kNames.begin());
  if (set > best)
    throw Error(Errc::kUnsupported, std::string("KINDRED_SIMD asks for ") + wanted +
                                        ", but this processor has only " + name(best));
  return set;
}

}  // namespace kindred::cpu
