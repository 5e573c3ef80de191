#pragma once

#include <cstdint>

namespace kindred {

/// The numbers that decide how much main memory training takes.
struct TopicMemory {
  std::uint64_t units = 0;
  std::uint64_t terms = 0;
  std::uint64_t documents = 0;
  bool on_device = false;  ///< the twin that trains is in the memory of a device
  bool warm = false;       ///< the codebook to start from stays in memory beside it

  /// Bytes at the peak, besides the mirror and the rows: whole codebooks of 4 bytes per unit and
  /// term, for the CPU weights, sums, and the start or the result; and there 8 bytes per term for
  /// each unit of 1,024 documents or more, as many as there can be.
  std::uint64_t bytes() const;
};

/// `limit_mb`: MiB that may be used; 0: what this process can still take.
/// @throws Error kOutOfMemory that says how much is needed, how much there is and what helps.
void check_memory(const TopicMemory& memory, std::int64_t limit_mb);

}  // namespace kindred
