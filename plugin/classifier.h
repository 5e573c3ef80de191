#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "gpu/backend.h"
#include "plugin/classification.h"

namespace kindred {

class Snapshot;

/// Fills in what the request leaves open.
/// @throws Error kInvalidArgument if k < 1, max_labels < 1 or threshold is outside [0, 1].
ClassifyRequest with_defaults(ClassifyRequest request, const ClassifySettings& settings);

/// Similarity-weighted kNN vote over labeled rows (Yang and Liu 1999, section 3.3, as a share).
class Classifier {
 public:
  /// Both are borrowed.
  Classifier(const Snapshot& snapshot, const ClassifySettings& settings) noexcept
      : snapshot_(snapshot), settings_(settings) {}

  /// One classification a query. `exclude` holds, for each query, the row that may not vote (the
  /// document itself), or Neighbor::kNoRow; it may be empty. `allowed` limits the voters.
  std::vector<Classification> classify(const Queries& queries, const ClassifyRequest& request,
                                       std::span<const std::uint32_t> exclude = {},
                                       const RowBits* allowed = nullptr) const;

 private:
  /// The vote on the backend, and the vote here, with who voted.
  std::vector<Classification> count(const Queries& queries, const Vote& vote,
                                    const ClassifyRequest& request) const;
  std::vector<Classification> explain(const Queries& queries, const Vote& vote,
                                      const ClassifyRequest& request) const;
  Classification tag(std::span<const LabelShare> shares, const ClassifyRequest& request) const;

  const Snapshot& snapshot_;
  const ClassifySettings& settings_;
};

}  // namespace kindred
