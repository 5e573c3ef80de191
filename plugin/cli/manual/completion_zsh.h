#pragma once

#include <string>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// As bash_completion(), for zsh, which also shows the descriptions.
std::string zsh_completion(const CommandDescription& program);

}  // namespace kindred::cli
