#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "plugin/ranks/journal.h"
#include "plugin/ranks/ranks.h"

namespace kindred {

/// Tasks whose results every rank needs.
struct Tasks {
  std::string step;         ///< what they are for, in messages and in the journal
  std::size_t count = 0;    ///< the same on every rank
  std::size_t at_once = 1;  ///< how many of them this rank computes at once
  /// Of this rank. Those that have no task help in the loops of others: see for_each_task().
  std::size_t threads = 1;
  /// Computes the result of a task. The same bytes whichever rank and thread does it.
  std::function<std::string(std::size_t task)> work;
  /// What a task is, for people: "kl, fold 3". May be empty.
  std::function<std::string(std::size_t task)> name;
};

/// Deals tasks to the threads of all ranks, in their order, each to whoever is free. Returns the
/// results on every rank, in the order of tasks. Rank 0 takes results from the journal if it has
/// them, and adds the others; `journal` may be null, and is used by rank 0 only.
/// @throws Error kCanceled if another rank fails; whatever the work of this rank throws.
std::vector<std::string> deal(Ranks& ranks, const Tasks& tasks, Journal* journal);

}  // namespace kindred
