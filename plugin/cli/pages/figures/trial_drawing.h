#pragma once

#include <string>

#include "plugin/votes/tuning/tune_request.h"

namespace kindred::cli {

/// The objective of each trial against the time when it was judged, as an HTML figure with an SVG.
/// Each vote has a color of its own; the chosen trial has a ring.
std::string trial_diagram(const TuneReport& report, const std::string& objective);

}  // namespace kindred::cli
