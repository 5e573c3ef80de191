#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/api.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"

namespace kindred {

/// The names in settings, the C ABI and the program.
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API VoteKind vote_kind(std::string_view name);
KINDRED_API std::string_view vote_name(VoteKind kind);

/// The neighbors that VoteKind::kBlend looks at.
inline constexpr std::size_t kBlendNeighbors = 45;

/// Sets shares[l], which must be 0, to the share that neighbors with label l have of the sum of all
/// neighbors' similarities to this power. Sums are in the order of the neighbors, which end at the
/// first kNoDocument.
/// `silent`: of each label, a document that does not vote for it, or kNoDocument; or nothing.
void count_shares(std::span<const Neighbor> neighbors, const SegmentList& mirror, int power,
                  std::span<double> shares, std::span<const std::uint32_t> silent = {});

/// Raises best[l] to the largest similarity of a neighbor that has label l, if it is lower.
/// `silent`: as above.
void find_best(std::span<const Neighbor> neighbors, const SegmentList& mirror,
               std::span<double> best, std::span<const std::uint32_t> silent = {});

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// similarity^power, power >= 0.
double raised(double similarity, int power);

}  // namespace kindred
