#include "plugin/votes/tagging_method.h"

#include <algorithm>
#include <array>
#include <string>

#include "config/error.h"
#include "config/vote_names.h"

namespace kindred {
namespace {

constexpr std::array<std::string_view, 3> kTermWeightNames = {"idf", "kl", "learned"};

constexpr std::array<std::string_view, 4> kCutNames = {"threshold", "scut", "pcut", "rcut"};

}  // namespace

VoteKind vote_kind(std::string_view name) {
  const auto it = std::find(kVoteNames.begin(), kVoteNames.end(), name);
  if (it != kVoteNames.end()) return static_cast<VoteKind>(it - kVoteNames.begin());
  throw Error(Errc::kInvalidArgument,
              "vote: expected " + listed_vote_names() + " (got '" + std::string(name) + "')");
}

std::string_view vote_name(VoteKind kind) { return kVoteNames[static_cast<std::size_t>(kind)]; }

std::string_view cut_name(CutKind cut) { return kCutNames[static_cast<std::size_t>(cut)]; }

CutKind cut_kind(std::string_view name) {
  const auto it = std::find(kCutNames.begin(), kCutNames.end(), name);
  if (it != kCutNames.end()) return static_cast<CutKind>(it - kCutNames.begin());
  throw Error(Errc::kInvalidArgument,
              "cut: expected threshold, scut, pcut or rcut (got '" + std::string(name) + "')");
}

std::string_view term_weight_name(TermWeightKind kind) {
  return kTermWeightNames[static_cast<std::size_t>(kind)];
}

TermWeightKind term_weight_kind(std::string_view name) {
  const auto it = std::find(kTermWeightNames.begin(), kTermWeightNames.end(), name);
  if (it != kTermWeightNames.end())
    return static_cast<TermWeightKind>(it - kTermWeightNames.begin());
  throw Error(Errc::kInvalidArgument,
              "term weights: expected idf, kl or learned (got '" + std::string(name) + "')");
}

}  // namespace kindred
