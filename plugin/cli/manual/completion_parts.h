#pragma once

#include <string>
#include <vector>

#include "plugin/cli/command_line.h"

namespace kindred::cli {

/// What the help calls the value of an option, or an argument; "" for a flag.
const std::string& value_name(const OptionDescription& option);

/// True if the value is the name of a file or folder.
bool takes_path(const OptionDescription& option);

/// The words with a space between two.
std::string joined(const std::vector<std::string>& words);

/// The name of a command without those that it belongs to.
std::string last_name(const CommandDescription& command);

/// `command` and all commands below it, each before its own.
std::vector<const CommandDescription*> all_commands(const CommandDescription& command);

/// A description as one line.
std::string one_line(const std::string& description);

}  // namespace kindred::cli
