#include "plugin/cli/output/reason_output.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kVotersShown = 3;  // --json has all

}  // namespace

Json reason_json(const TagReason& reason, const std::vector<Voter>& neighbors) {
  Json voters = Json::array();
  for (const TagVoter& voter : reason.voters)
    voters.push_back({{"id", neighbors[voter.neighbor].id}, {"share", voter.share}});
  Json terms = Json::array();
  for (const TermContribution& term : reason.terms)
    terms.push_back({{"term", term.term}, {"contribution", term.contribution}});
  return {{"voters", std::move(voters)}, {"terms", std::move(terms)}};
}

std::string reason_text(const TagReason& reason, const std::vector<Voter>& neighbors) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kVotersShown, reason.voters.size()); ++i) {
    const TagVoter& voter = reason.voters[i];
    text += (i == 0 ? "" : ", ") + neighbors[voter.neighbor].id + " " + fixed(voter.share, 4);
  }
  text += "; terms";
  for (const TermContribution& term : reason.terms) text += " " + term.term;
  return text;
}

}  // namespace kindred::cli
