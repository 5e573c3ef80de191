#include "plugin/votes/votes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "config/error.h"
#include "config/shown.h"

namespace kindred {

VoteKind vote_kind(std::string_view name) {
  const auto it = std::find(kVoteNames.begin(), kVoteNames.end(), name);
  if (it != kVoteNames.end()) return static_cast<VoteKind>(it - kVoteNames.begin());
  throw Error(Errc::kInvalidArgument,
              "vote: expected " + choices_text(kVoteNames) + " (got '" + std::string(name) + "')");
}

std::string_view vote_name(VoteKind kind) { return kVoteNames[static_cast<std::size_t>(kind)]; }

double as_probability(double z) { return 1 / (1 + std::exp(-z)); }

double raised(double similarity, int power) {
  double result = 1;
  for (int i = 0; i < power; ++i) result *= similarity;
  return result;
}

}  // namespace kindred
