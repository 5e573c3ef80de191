#pragma once

#include <span>
#include <vector>

#include "gpu/queries.h"
#include "gpu/segment_list.h"
#include "plugin/snapshot/view.h"

namespace kindred {

/// The similarity of one query to any row, to the bit that a backend finds. It borrows its
/// arguments, and any number of threads may share it.
class ExactSimilarity {
 public:
  /// @param terms ascending, and their `weights`, of length 1
  /// @param longest the length of the longest document, as Backend::longest()
  ExactSimilarity(std::span<const std::uint32_t> terms, std::span<const double> weights,
                  const TermWeighting& weighting, double longest);

  /// To a row whose r_d (docs/scoring.md) is known.
  float to(const RowEntries& row, double reciprocal) const;

  /// To a row whose length is computed anew.
  float to(const RowEntries& row) const;

 private:
  const std::span<const std::uint32_t> terms_;
  const TermWeighting& weighting_;
  const double longest_;
  std::vector<double> factors_;  ///< of each term
};

}  // namespace kindred
