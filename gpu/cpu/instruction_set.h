#pragma once

#include <cstddef>
#include <string>

// Functions with the instructions of a set get them by the attributes KINDRED_AVX2, KINDRED_AVX512.
#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the register that its own intrinsics leave undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#define KINDRED_AVX2 __attribute__((target("avx2")))
#define KINDRED_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#endif

namespace kindred::cpu {

/// The instruction sets that the scan is written for, each containing the one before.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

const char* name(InstructionSet set);

/// A processor that works with that set and so many threads: "CPU (avx512, 16 threads)".
std::string describe(InstructionSet set, std::size_t threads);

/// The best one that this processor has, or the one that KINDRED_SIMD names.
/// @throws Error kUnsupported if KINDRED_SIMD names none, or one that the processor lacks.
InstructionSet choose_instruction_set();

}  // namespace kindred::cpu
