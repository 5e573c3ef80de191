#include "plugin/votes/tuning/tuning_json.h"

#include "plugin/votes/label_weights.h"
#include "plugin/votes/votes.h"

namespace kindred {

nlohmann::ordered_json tuning_json(const Tuning& tuning) {
  const TuningScores& scores = tuning.scores;
  return {{"revision", tuning.revision},
          {"filter", tuning.filter},
          {"method",
           {{"vote", vote_name(VoteKind::kBlend)},
            {"k", kBlendNeighbors},
            {"linear", tuning.classifiers != nullptr}}},
          {"scores",
           {{"documents", scores.documents},
            {"micro_f1", scores.micro_f1},
            {"macro_f1", scores.macro_f1},
            {"accuracy", scores.accuracy},
            {"calibration_error", scores.calibration_error},
            {"log_loss", scores.log_loss}}},
          {"known_terms", tuning.weights->size()},
          {"thresholds", tuning.thresholds.size()},
          {"voters", tuning.voters},
          {"automatic", tuning.automatic},
          {"forward_documents", tuning.forward_documents}};
}

}  // namespace kindred
