#pragma once

#include <nlohmann/json.hpp>

#include "plugin/engine.h"
#include "plugin/kindred.h"

namespace kindred {

/// What kindred_evaluate() answers. `request` may be NULL. @throws Error as it says.
nlohmann::ordered_json evaluate(const Engine& engine, const kindred_evaluate_request* request);

}  // namespace kindred
