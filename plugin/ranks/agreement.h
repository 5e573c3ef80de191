#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plugin/ranks/ranks.h"

namespace kindred {

/// Things that must be the same on all ranks: what they are, "revision of the index", and the value
/// that this rank has.
using SharedFacts = std::vector<std::pair<std::string, std::string>>;

/// Returns once all ranks have called it.
/// @throws Error kInvalidArgument at rank 0 if a rank has another value: the text names the rank
/// and both values. The others are ended with the job.
KINDRED_API void check_agreement(Ranks& ranks, const SharedFacts& facts);

}  // namespace kindred
