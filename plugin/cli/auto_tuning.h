#pragma once

#include "plugin/answers/classification.h"
#include "plugin/engine.h"

namespace kindred::cli {

/// Lets an engine tune itself if it needs that (Engine::tune_if_needed()) and the request does not
/// name a vote. On a terminal, standard error shows how far it is, and what was found.
void tune_if_needed(Engine& engine, const ClassifyRequest& request = {});

}  // namespace kindred::cli
