#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plugin/votes/tune_request.h"
#include "plugin/votes/tuning.h"

namespace kindred {

/// Tunings as JSON, keys in the order in which they are written.
KINDRED_API nlohmann::ordered_json method_json(const TaggingMethod& method);
KINDRED_API nlohmann::ordered_json scores_json(const TuningScores& scores);

/// What a tuning is, without its tables by term and label.
KINDRED_API nlohmann::ordered_json tuning_json(const Tuning& tuning);

/// All that was found. `file`: where it is stored, or "".
KINDRED_API nlohmann::ordered_json tune_report_json(const TuneReport& report,
                                                    const std::string& file, double seconds);

/// A request as a JSON object: "objective", "budget", "filter", "seed", "term_weights" (a list),
/// "keep_terms" and "sample", as the options of `kindred tune`. What is not there stays at its
/// default; an empty text asks for nothing special. Ranges are for Engine::tune() to check.
/// @throws Error kInvalidArgument: not a JSON object, a key that is not known, a wrong type.
TuneRequest parse_tune_request(std::string_view json);

}  // namespace kindred
