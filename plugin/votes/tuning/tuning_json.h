#pragma once

#include <nlohmann/json.hpp>

#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// Scores as JSON. Keys keep the order in which they are added.
nlohmann::ordered_json scores_json(const TuningScores& scores);

/// A tuning as JSON, with the sizes of its tables by term and label instead of the tables.
nlohmann::ordered_json tuning_json(const Tuning& tuning);

}  // namespace kindred
