#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plugin/ranks/ranks.h"

namespace kindred {

// What all ranks of a job do together, each in the one thread that runs the command. Nothing
// depends on who is faster.
// @throws Error kCanceled if a rank fails.

/// The bytes of rank 0, on every rank.
KINDRED_API std::string broadcast(Ranks& ranks, std::string bytes);

/// At rank 0 the bytes of all ranks, in the order of ranks. Empty elsewhere.
KINDRED_API std::vector<std::string> gather(Ranks& ranks, std::string bytes);

/// Sends to each rank what is at its place, and returns what each has sent here, in the order of
/// ranks. Nobody sends to himself. `to` has a place for each rank.
KINDRED_API std::vector<std::string> exchange(Ranks& ranks, std::vector<std::string> to);

/// Replaces a few values by their sums over all ranks, on every rank. Integers have the same sum in
/// every order.
/// @throws Error kInternal if a rank has another number of values.
KINDRED_API void add_up(Ranks& ranks, std::span<std::int64_t> values);

/// Replaces values by the largest of all ranks, likewise.
KINDRED_API void take_largest(Ranks& ranks, std::span<std::int64_t> values);

/// Many values, which are read and written in blocks that begin at multiples of `at_once`. Their
/// number and the blocks are the same on all ranks.
struct ValueBlocks {
  std::size_t count = 0;
  std::size_t at_once = 1;
  std::function<void(std::size_t first, std::span<std::int64_t> values)> read;
  std::function<void(std::size_t first, std::span<const std::int64_t> values)> write;
};

/// Replaces each of many values by its sum over all ranks. Each rank adds up an equal share of the
/// blocks, and sends the sums to the others. What crosses is a few bytes for each value that is not
/// 0.
/// @throws as the other add_up().
KINDRED_API void add_up(Ranks& ranks, const ValueBlocks& values);

/// Returns once every rank has called it.
KINDRED_API void wait_for_all(Ranks& ranks);

}  // namespace kindred
