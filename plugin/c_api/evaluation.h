#pragma once

#include <nlohmann/json.hpp>

#include "plugin/engine.h"
#include "plugin/kindred.h"

namespace kindred {

/// What kindred_evaluate() and kindred_evaluate_related() answer. `request` may be NULL.
/// @throws Error as they say.
nlohmann::ordered_json evaluate(const Engine& engine, const kindred_evaluate_request* request);
nlohmann::ordered_json evaluate_related(const Engine& engine,
                                        const kindred_evaluate_related_request* request);

}  // namespace kindred
