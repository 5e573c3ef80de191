#include "plugin/votes/tagging_method.h"

#include <algorithm>
#include <string>

#include "config/error.h"
#include "config/settings.h"

namespace kindred {

VoteKind vote_kind(std::string_view name) {
  const auto it = std::find(kVoteNames.begin(), kVoteNames.end(), name);
  if (it != kVoteNames.end()) return static_cast<VoteKind>(it - kVoteNames.begin());
  throw Error(Errc::kInvalidArgument,
              "vote: expected " + listed_vote_names() + " (got '" + std::string(name) + "')");
}

std::string_view vote_name(VoteKind kind) { return kVoteNames[static_cast<std::size_t>(kind)]; }

}  // namespace kindred
