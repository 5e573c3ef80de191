#include "plugin/votes/tuning/tuning_json.h"

#include "plugin/votes/weights/frozen_weights.h"

namespace kindred {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson scores_json(const TuningScores& scores) {
  return {{"documents", scores.documents},
          {"micro_f1", scores.micro_f1},
          {"macro_f1", scores.macro_f1},
          {"accuracy", scores.accuracy},
          {"calibration_error", scores.calibration_error},
          {"log_loss", scores.log_loss ? OrderedJson(*scores.log_loss) : OrderedJson()}};
}

}  // namespace

OrderedJson method_json(const TaggingMethod& method) {
  return {{"vote", vote_name(method.vote)},
          {"k", method.k},
          {"linear", method.linear},
          {"keep_terms", method.keep_terms},
          {"fbr", method.fbr}};
}

OrderedJson tuning_json(const Tuning& tuning) {
  return {{"revision", tuning.revision},
          {"filter", tuning.filter},
          {"method", method_json(tuning.method)},
          {"scores", scores_json(tuning.scores)},
          {"known_terms", tuning.weights->size()},
          {"thresholds", tuning.thresholds.size()},
          {"voters", tuning.voters},
          {"automatic", tuning.automatic},
          {"forward_documents", tuning.forward_documents}};
}

}  // namespace kindred
