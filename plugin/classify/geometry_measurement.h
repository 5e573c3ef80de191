#pragma once

#include "config/pulse.h"
#include "plugin/progress.h"
#include "plugin/questions.h"

namespace kindred {

class Snapshot;

/// Measures the class geometry of a snapshot, without going through all pairs of documents: each
/// class has a sum of unit vectors, and the dot product of two such sums is the sum of the cosines
/// over all pairs of documents of the two classes.
/// `on_progress` may be empty.
/// @throws Error kUnsupported for more than 8,192 labels; kCanceled by on_progress; whatever
/// on_progress throws.
api::GeometryAnswer measure_class_geometry(const Snapshot& snapshot,
                                           const DocumentProgress& on_progress = {},
                                           const Pulse& pulse = {});

}  // namespace kindred
