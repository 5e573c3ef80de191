#pragma once

#include "plugin/answers/classification.h"
#include "plugin/cli/ranks/job.h"
#include "plugin/engine.h"

namespace kindred::cli {

/// Lets an engine tune itself if it needs that (Engine::tune_if_needed()) and the request does not
/// name a vote. On a terminal, standard error shows how far it is, and what was found.
void tune_if_needed(Engine& engine, const ClassifyRequest& request = {});

/// Of the ranks that share a command, rank 0 opens the index first, and may tune it. The others
/// wait for that before they open it.
void wait_for_first(Job& job);
void let_others_open(Job& job);

}  // namespace kindred::cli
