#pragma once

#include <cstddef>
#include <memory>

#include "gpu/som/exchange.h"

namespace kindred::cli {

/// What `mpirun` or `srun` says of this process: its rank, and how many were started.
struct Launch {
  std::size_t rank = 0;
  std::size_t size = 1;
};
Launch launch();

/// Joins the processes that this one was started with, for the thread that calls. Null if it was
/// started alone.
/// @throws Error kUnsupported if there are others and this build cannot talk to them, or they did
/// not come.
std::unique_ptr<SomExchange> join_job();

/// Waits until all processes have come here. Nothing if this one has joined no others.
void end_job();

/// Ends all processes at once, since this one has failed. Likewise.
void abort_job();

}  // namespace kindred::cli
