#include "plugin/c_api/lending.h"

namespace kindred {

const kindred_string* LentArrays::names(const std::vector<std::string>& names) {
  return keep_each(names, [](const std::string& name) { return lend(name); });
}

const kindred_tag* LentArrays::tags(const std::vector<Tag>& tags) {
  return keep_each(tags, [](const Tag& tag) { return lend(tag); });
}

kindred_neighbor LentArrays::neighbor(const Voter& voter) {
  return {voter.docid, voter.similarity, lend(voter.id), names(voter.labels), voter.labels.size()};
}

const kindred_neighbor* LentArrays::neighbors(const std::vector<Voter>& voters) {
  return keep_each(voters, [this](const Voter& voter) { return neighbor(voter); });
}

const kindred_term* LentArrays::terms(const std::vector<TermContribution>& terms) {
  return keep_each(terms, [](const TermContribution& term) {
    return kindred_term{lend(term.term), term.contribution};
  });
}

kindred_reason LentArrays::reason(const TagReason& reason, const kindred_neighbor* neighbors) {
  const kindred_voter* voters = keep_each(reason.voters, [&](const TagVoter& voter) {
    return kindred_voter{neighbors + voter.neighbor, voter.share};
  });
  return {lend(reason.label),   reason.threshold,    voters,
          reason.voters.size(), terms(reason.terms), reason.terms.size()};
}

const kindred_reason* LentArrays::reasons(const std::vector<TagReason>& reasons,
                                          const kindred_neighbor* neighbors) {
  return keep_each(reasons, [&](const TagReason& each) { return reason(each, neighbors); });
}

}  // namespace kindred
