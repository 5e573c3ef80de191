#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plugin/votes/tuning/tune_request.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// Scores as JSON. Keys keep the order in which they are added.
KINDRED_API nlohmann::ordered_json scores_json(const TuningScores& scores);

/// A tuning as JSON, with the sizes of its tables by term and label instead of the tables.
KINDRED_API nlohmann::ordered_json tuning_json(const Tuning& tuning);

/// The report of a run of tune. `file`: where the tuning is stored, or "".
KINDRED_API nlohmann::ordered_json tune_report_json(const TuneReport& report,
                                                    const std::string& file, double seconds);

/// Reads a request from a JSON object with the keys "filter", "seed", "groups" (a list) and
/// "documents", as the options of `kindred tune`. A missing key leaves its default. An
/// empty text gives all defaults. Engine::tune() checks the ranges.
/// @throws Error kInvalidArgument: not a JSON object, an unknown key, a wrong type.
TuneRequest parse_tune_request(std::string_view json);

}  // namespace kindred
