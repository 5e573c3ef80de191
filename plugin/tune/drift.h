#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/pool.h"
#include "gpu/row_set.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// How much better documents know each other at random than the earlier ones know the later ones,
/// label by label, so that collections count that are sorted by label. Where they differ, documents
/// that come later are harder than leave-one-out says.
///
/// The age of a document is the share of its labels' documents that come before it. Each document
/// that is not among the earlier half of its labels is voted on twice by its most similar voters,
/// by those of the earlier half, and by every second one; the loss is the share of these documents
/// whose best label is then true less often.
class DriftMeasure {
 public:
  /// `mirror` is borrowed.
  DriftMeasure(const Mirror& mirror, const RowSet& voters);

  /// @param nearest the voters that are most similar to a voter, by similarity; it may be among
  /// them, and what must not vote on it must not.
  /// Any number of threads may call it at once. The result does not depend on their order.
  void add(std::uint32_t row, std::span<const Neighbor> nearest);

  /// A share of documents; nothing if it is not above two standard errors.
  std::optional<double> loss() const;

 private:
  using Votes = std::vector<double>;  ///< of each label; 0 between calls

  template <typename MayVote>
  bool is_right(std::uint32_t row, std::span<const Neighbor> nearest, MayVote&& may_vote,
                Votes& votes) const;

  const Mirror& mirror_;
  std::vector<float> age_;  ///< of each voter
  Pool<Votes> votes_;
  std::mutex mutex_;  ///< for what follows: sums of multiples of 1/64, so their order is free
  double documents_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace kindred
