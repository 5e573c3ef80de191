#pragma once

#include <string>
#include <vector>

#include "plugin/answers/suspects.h"

namespace kindred::cli {

/// Writes suspects as one HTML page to work through: what each has and what its neighbors say, and
/// boxes to choose its labels. What was seen and chosen stays in the address of the page. It makes
/// JSON Lines of the corrections, and says how to apply them. Without scripts it can be read.
/// @param database its path, for the heading and for the command line.
/// @throws Error kNotFound if it cannot be written; the old file is then unchanged.
void write_suspects_report(const std::string& path, const std::string& database,
                           const std::vector<Suspect>& suspects);

}  // namespace kindred::cli
