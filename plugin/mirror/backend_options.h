#pragma once

#include "config/log.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "gpu/options.h"

namespace kindred {

/// What the settings say about where to compute, as backends and maps in training take it.
BackendOptions backend_options(const BackendSettings& settings, Log log);

}  // namespace kindred
