#pragma once

#include <nlohmann/json.hpp>

#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// A tuning as JSON, with the sizes of its tables by term and label instead of the tables.
nlohmann::ordered_json tuning_json(const Tuning& tuning);

}  // namespace kindred
