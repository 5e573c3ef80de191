#pragma once

#include <string>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// A script by which bash completes the commands of `program`, their options, the values of options
/// that take one of a few, and file names where a file is expected.
std::string bash_completion(const CommandDescription& program);

/// The same for fish and zsh, which also show the descriptions.
std::string fish_completion(const CommandDescription& program);
std::string zsh_completion(const CommandDescription& program);

}  // namespace kindred::cli
