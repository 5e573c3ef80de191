#include "gpu/cpu/instruction_set.h"

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

InstructionSet parse(std::string_view wanted) {
  for (const InstructionSet set :
       {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512})
    if (wanted == name(set)) return set;
  throw Error(Errc::kUnsupported,
              "KINDRED_SIMD is \"" + std::string(wanted) + "\"; expected baseline, avx2 or avx512");
}

}  // namespace

const char* name(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kBaseline:
      break;
  }
  return "baseline";
}

InstructionSet choose_instruction_set() {
  const InstructionSet best = best_instruction_set();
  const char* wanted = std::getenv("KINDRED_SIMD");
  if (wanted == nullptr || *wanted == '\0') return best;
  const InstructionSet set = parse(wanted);
  if (set > best)
    throw Error(Errc::kUnsupported, std::string("KINDRED_SIMD asks for ") + wanted +
                                        ", but this processor has only " + name(best));
  return set;
}

}  // namespace kindred::cpu
