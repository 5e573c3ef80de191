#pragma once

#include "plugin/answers/class_geometry.h"

namespace kindred {

class Snapshot;

/// Distances come from the sums of the documents' unit vectors for each label, never from all
/// pairs: the sum of cos over the pairs of two classes is the dot product of their sums.
/// @throws Error kUnsupported for more than 8,192 labels.
ClassGeometry measure_class_geometry(const Snapshot& snapshot);

}  // namespace kindred
