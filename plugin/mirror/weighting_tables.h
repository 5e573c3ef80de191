#pragma once

#include <string>

#include "gpu/queries.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The tables of a SMART weighting for a mirror; N and df are those of all its documents.
/// @throws Error kInvalidArgument from SmartWeighting.
TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters);

}  // namespace kindred
