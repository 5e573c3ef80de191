#pragma once

#include <string>
#include <vector>

#include "gpu/queries.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The tf of a SMART weighting for counts 0 to kMaxCount.
/// @throws Error kInvalidArgument from SmartWeighting.
std::vector<double> tf_table(const std::string& letters);

/// The tables of a SMART weighting for a mirror, for the cosine whatever its last letter is; N and
/// df are those of all its documents.
/// @throws Error kInvalidArgument from SmartWeighting.
TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters);

}  // namespace kindred
