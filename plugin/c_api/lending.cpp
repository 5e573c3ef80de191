#include "plugin/c_api/lending.h"

namespace kindred {

const kindred_string* LentArrays::names(const std::vector<std::string>& names) {
  std::vector<kindred_string> lent;
  for (const std::string& name : names) lent.push_back(lend(name));
  return keep(std::move(lent));
}

const kindred_tag* LentArrays::tags(const std::vector<Tag>& tags) {
  std::vector<kindred_tag> lent;
  for (const Tag& tag : tags) lent.push_back(lend(tag));
  return keep(std::move(lent));
}

kindred_neighbor LentArrays::neighbor(const Voter& voter) {
  return {voter.docid, voter.similarity, lend(voter.id), names(voter.labels), voter.labels.size()};
}

const kindred_neighbor* LentArrays::neighbors(const std::vector<Voter>& voters) {
  std::vector<kindred_neighbor> lent;
  for (const Voter& voter : voters) lent.push_back(neighbor(voter));
  return keep(std::move(lent));
}

const kindred_term* LentArrays::terms(const std::vector<TermContribution>& terms) {
  std::vector<kindred_term> lent;
  for (const TermContribution& term : terms) lent.push_back({lend(term.term), term.contribution});
  return keep(std::move(lent));
}

kindred_reason LentArrays::reason(const TagReason& reason, const kindred_neighbor* neighbors) {
  std::vector<kindred_voter> voters;
  for (const TagVoter& voter : reason.voters)
    voters.push_back({neighbors + voter.neighbor, voter.share});
  return {lend(reason.label),   reason.threshold,    keep(std::move(voters)),
          reason.voters.size(), terms(reason.terms), reason.terms.size()};
}

const kindred_reason* LentArrays::reasons(const std::vector<TagReason>& reasons,
                                          const kindred_neighbor* neighbors) {
  std::vector<kindred_reason> lent;
  for (const TagReason& each : reasons) lent.push_back(reason(each, neighbors));
  return keep(std::move(lent));
}

}  // namespace kindred
