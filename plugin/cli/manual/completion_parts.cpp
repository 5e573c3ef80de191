#include "plugin/cli/manual/completion_parts.h"

#include <algorithm>

namespace kindred::cli {

const std::string& value_name(const OptionDescription& option) {
  return option.is_argument && option.value.empty() ? option.names.front() : option.value;
}

bool takes_path(const OptionDescription& option) {
  const std::string& value = value_name(option);
  return value == "FILE" || value == "DIR";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string last_name(const CommandDescription& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::vector<const CommandDescription*> all_commands(const CommandDescription& command) {
  std::vector<const CommandDescription*> all = {&command};
  for (const CommandDescription& each : command.subcommands) {
    const auto below = all_commands(each);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::string one_line(const std::string& description) {
  std::string line = description;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace kindred::cli
