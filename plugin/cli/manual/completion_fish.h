#pragma once

#include <string>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// As bash_completion(), for fish, which also shows the descriptions.
std::string fish_completion(const CommandDescription& program);

}  // namespace kindred::cli
