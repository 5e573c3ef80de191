#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kindred {

/// The values of classify.vote, in the order of VoteKind (plugin/votes/votes.h).
inline constexpr std::array<std::string_view, 9> kVoteNames = {"majority", "similarity", "best",
                                                               "nearest",  "prototype",  "centroid",
                                                               "profile",  "blend",      "unit"};

/// "majority, similarity, ... or blend".
inline std::string listed_vote_names() {
  std::string list;
  for (std::size_t i = 0; i < kVoteNames.size(); ++i) {
    if (i > 0) list += i + 1 == kVoteNames.size() ? " or " : ", ";
    list += kVoteNames[i];
  }
  return list;
}

}  // namespace kindred
