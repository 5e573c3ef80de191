#pragma once

// What builds with checks (KINDRED_CHECKS of CMake) do beside their work. Tests are run in them.
// - Rooms for answers hold a pattern before kernels write there.
// - A kernel that is launched leaves its name: tests/gpu_host/run.sh sees which one no test
// reached.
// - KINDRED_SKIPPED_QUERY is the number of a query, in its part of a call, that the kernels do not
//   answer: a test sees that the call fails.

#include <cstddef>
#include <cstdint>

namespace kindred::cuda {

#ifdef KINDRED_CHECKS
inline constexpr bool kChecks = true;
#else
inline constexpr bool kChecks = false;
#endif

/// Each byte of an answer that nobody has written. No document has the number that it makes.
inline constexpr int kUnwritten = 0xE7;

inline constexpr std::uint32_t kNoQuery = UINT32_MAX;

/// KINDRED_SKIPPED_QUERY; kNoQuery if it is not set.
std::uint32_t skipped_query();

/// Appends the kernel's name to the file that KINDRED_LAUNCHES names, once in a process.
void note_launch(const char* kernel);

}  // namespace kindred::cuda
