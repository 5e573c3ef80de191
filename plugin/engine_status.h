#pragma once

#include "plugin/engine.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// What there is to say of a snapshot.
Status status_of(const Snapshot& snapshot);

}  // namespace kindred
