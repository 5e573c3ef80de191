#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/som/exchange.h"

namespace kindred::cli {

/// Joins the processes of a job by MPI. All calls are made in the thread that made the first one.
/// If one fails, MPI says why, and ends all processes.
class MpiExchange final : public SomExchange {
 public:
  MpiExchange();  ///< starts MPI; once in a process

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  void all_reduce(std::span<std::int64_t> values, SomReduction reduction) override;

  /// Each process adds up an equal share of the columns, and sends the sums to the others. What
  /// crosses is a few bytes for each sum that is not 0.
  void add_up(const SomSumAccess& sums) override;

  /// Ends MPI, together with the other processes, or ends these. Nothing if MPI does not run.
  static void finish();
  static void abort();

 private:
  std::vector<std::string> exchange(const std::vector<std::string>& to) const;

  std::size_t rank_ = 0, size_ = 1;
};

}  // namespace kindred::cli
