#include "plugin/cli/output/tuning_output.h"

#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

std::string name_of(VoteKind vote) { return std::string(vote_name(vote)); }
std::string name_of(CutKind cut) { return std::string(cut_name(cut)); }

}  // namespace

std::string method_text(const TaggingMethod& method) {
  std::string text = name_of(method.vote);
  if (method.linear) text += " + linear";
  text += ", " + std::string(term_weight_name(method.term_weights)) + " term weights";
  if (method.vote != VoteKind::kCentroid && method.vote != VoteKind::kProfile)
    text += ", k " + std::to_string(method.k);
  text += ", " + name_of(method.cut);
  if (method.cut == CutKind::kRank) return text + " " + fixed(method.cut_value, 0);
  return method.cut == CutKind::kProportional ? text : text + " " + fixed(method.cut_value, 2);
}

std::string expectation_text(const TuneReport& report) {
  const std::string measured = fixed(report.tuning.scores.accuracy, 2);
  return report.drift == 0 ? measured : fixed(expected_accuracy(report), 2) + " to " + measured;
}

}  // namespace kindred::cli
