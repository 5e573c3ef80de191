#pragma once

#include <string>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// A script by which bash completes the commands of `program`, their options, the values of options
/// that take one of a few, and file names where a file is expected.
std::string bash_completion(const CommandDescription& program);

}  // namespace kindred::cli
