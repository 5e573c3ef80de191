#pragma once

namespace kindred::cpu {

/// The instruction sets that the scan is written for, each containing the one before.
enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

const char* name(InstructionSet set);

/// The best one that this processor has, or the one that KINDRED_SIMD names.
/// @throws Error kUnsupported if KINDRED_SIMD names none, or one that the processor lacks.
InstructionSet choose_instruction_set();

}  // namespace kindred::cpu
