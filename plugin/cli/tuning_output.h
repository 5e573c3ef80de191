#pragma once

#include <string>

#include "plugin/cli/json_output.h"
#include "plugin/tuning.h"

namespace kindred::cli {

/// A method in a few words: "blend, learned term weights, k 45, scut 0.2".
std::string method_text(const TaggingMethod& method);

Json method_json(const TaggingMethod& method);
Json scores_json(const TuningScores& scores);

/// What a tuning is, without its tables by term and label.
Json tuning_json(const Tuning& tuning);

}  // namespace kindred::cli
