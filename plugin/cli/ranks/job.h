#pragma once

#include <memory>
#include <string>

#include "plugin/ranks/ranks.h"

namespace kindred::cli {

/// The job of this process: the ranks that `mpirun` or `srun` started with it, or this process
/// alone. Made once, before anything else is done, and used by the main thread.
class Job {
 public:
  virtual ~Job() = default;

  virtual Ranks& ranks() = 0;

  /// What each rank is doing, in one line: "0: kl, fold 1 | 1: kl, fold 2". "" for one rank.
  virtual std::string activity() const = 0;

  /// Ends the job well, together with all other ranks. Nothing may be asked of ranks() afterwards.
  virtual void end() = 0;

  /// Ends the job for all ranks: this one has failed. One message is printed for all.
  [[noreturn]] virtual void fail(const std::string& message) = 0;

  bool is_shared() { return ranks().size() > 1; }
  bool is_first() { return ranks().rank() == 0; }
};

/// Joins the job that this process was started for. It is this process alone unless it was started
/// with others.
/// @throws Error kUnsupported if there are others and this build cannot talk to them, or they did
/// not come.
std::unique_ptr<Job> join_job();

/// What the launcher says of this process, before it joins: its rank, and how many were started.
struct Launch {
  std::size_t rank = 0;
  std::size_t size = 1;
};
Launch launch();

/// The job of many ranks, by MPI. @throws Error kUnsupported.
std::unique_ptr<Job> join_by_mpi();

}  // namespace kindred::cli
