#pragma once

#include <cstddef>
#include <string_view>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// The names in settings, the C ABI and the program.
/// @throws Error kInvalidArgument that lists the known names.
KINDRED_API VoteKind vote_kind(std::string_view name);
KINDRED_API std::string_view vote_name(VoteKind kind);

/// The neighbors that VoteKind::kBlend looks at.
inline constexpr std::size_t kBlendNeighbors = 45;

/// The power of the similarity by which VoteKind::kFew counts.
inline constexpr int kFewPower = 2;

/// The logistic function, 1 / (1 + e^-z).
double as_probability(double z);

/// similarity^power, power >= 0.
double raised(double similarity, int power);

}  // namespace kindred
