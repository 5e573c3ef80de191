#include "plugin/cli/tuning_output.h"

#include "plugin/cli/table.h"

namespace kindred::cli {
namespace {

std::string name_of(VoteKind vote) { return std::string(vote_name(vote)); }
std::string name_of(CutKind cut) { return std::string(cut_name(cut)); }

}  // namespace

std::string method_text(const TaggingMethod& method) {
  std::string text = name_of(method.vote);
  if (method.vote == VoteKind::kSimilarity) text += "^" + fixed(method.similarity_power, 0);
  text += ", " + std::string(term_weight_name(method.term_weights)) + " term weights";
  if (method.vote != VoteKind::kCentroid && method.vote != VoteKind::kProfile)
    text += ", k " + std::to_string(method.k);
  text += ", " + name_of(method.cut);
  if (method.cut == CutKind::kRank) return text + " " + fixed(method.cut_value, 0);
  return method.cut == CutKind::kProportional ? text : text + " " + fixed(method.cut_value, 2);
}

Json method_json(const TaggingMethod& method) {
  return {{"vote", name_of(method.vote)},
          {"term_weights", std::string(term_weight_name(method.term_weights))},
          {"k", method.k},
          {"similarity_power", method.similarity_power},
          {"kept_terms", method.kept_terms},
          {"cut", name_of(method.cut)},
          {"cut_value", method.cut_value}};
}

Json scores_json(const TuningScores& scores) {
  return {{"documents", scores.documents},
          {"micro_f1", scores.micro_f1},
          {"macro_f1", scores.macro_f1},
          {"accuracy", scores.accuracy},
          {"calibration_error", scores.calibration_error},
          {"log_loss", scores.log_loss ? Json(*scores.log_loss) : Json()}};
}

Json tuning_json(const Tuning& tuning) {
  Json json = {{"revision", tuning.revision},
               {"objective", tuning.objective},
               {"filter", tuning.filter},
               {"method", method_json(tuning.method)},
               {"scores", scores_json(tuning.scores)},
               {"corrected_terms", tuning.corrections.size()},
               {"thresholds", tuning.thresholds.size()}};
  return json;
}

}  // namespace kindred::cli
