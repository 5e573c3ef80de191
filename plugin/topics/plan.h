#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/som/train.h"
#include "plugin/answers.h"
#include "plugin/topics/map.h"

namespace kindred {

/// The complete plan of a request. A side that it does not set comes from the number of documents
/// (about 5 sqrt(documents) units: Vesanto and Alhoniemi 2000, at most 50 per side). The plan of a
/// map that is resumed keeps its lattice. `earlier` is that map, or null.
/// @throws Error kInvalidArgument that names what is out of range.
SomPlan topic_plan(const TopicsRequest& request, std::size_t documents, const TopicMap* earlier);

/// How many topics; 0 = training finds a number. @throws Error as above.
std::size_t topic_count(const TopicsRequest& request);

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

/// How many bytes this process can still take: the least that the machine, its control group
/// (version 2) and its limit of address space (RLIMIT_AS) allow. Empty if the system does not tell.
std::optional<std::uint64_t> free_memory();

/// @param limit_mb MiB that may be used; 0 = free_memory()
/// @throws Error kOutOfMemory that says how much is needed, how much there is and what helps.
void check_memory(const TopicMemory& memory, std::int64_t limit_mb);

}  // namespace kindred
