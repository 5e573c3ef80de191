#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugin/ranks/ranks.h"

namespace kindred {

// What all ranks of a job do together, each in the one thread that runs the command. All goes
// through rank 0, so nothing depends on who is faster.
// @throws Error kCanceled if a rank fails.

/// The bytes of rank 0, on every rank.
KINDRED_API std::string broadcast(Ranks& ranks, std::string bytes);

/// At rank 0 the bytes of all ranks, in the order of ranks. Empty elsewhere.
KINDRED_API std::vector<std::string> gather(Ranks& ranks, std::string bytes);

/// Replaces values by their sums over all ranks, on every rank. Integers have the same sum in every
/// order. What crosses is a few bytes for each value that is not 0.
/// @throws Error kInternal at rank 0 if a rank has another number of values.
KINDRED_API void add_up(Ranks& ranks, std::span<std::int64_t> values);

/// Replaces values by the largest of all ranks, likewise.
KINDRED_API void take_largest(Ranks& ranks, std::span<std::int64_t> values);

/// Returns once every rank has called it.
KINDRED_API void wait_for_all(Ranks& ranks);

}  // namespace kindred
