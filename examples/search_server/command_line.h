#pragma once

#include <string>

#include "settings.h"

namespace search_server {

/// What the command line asks for.
struct CommandLine {
  Settings settings;
  bool check_only = false;  ///< say whether the settings are good, and end
};

/// Reads flags, and before them the file that --settings names. Prints help, the version or what is
/// wrong with the flags, and then returns false with the exit status in `status`.
/// @throws SettingsError
bool read_command_line(int count, char** arguments, CommandLine& line, int& status);

}  // namespace search_server
