#pragma once

#include "plugin/engine.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The status of a snapshot.
Status status_of(const Snapshot& snapshot);

}  // namespace kindred
