#pragma once

#include "config/log.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "gpu/options.h"

namespace kindred {

/// The settings about where to compute, as backends and the training of maps need them.
BackendOptions backend_options(const BackendSettings& settings, Log log);

}  // namespace kindred
