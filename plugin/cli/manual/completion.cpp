#include "plugin/cli/manual/completion.h"

#include <algorithm>

#include "plugin/cli/command_line.h"

namespace kindred::cli {
namespace {

constexpr const char* kFileNames = ":files\n";

std::string line_of(const std::string& word, std::string description) {
  std::replace(description.begin(), description.end(), '\n', ' ');
  return word + '\t' + description + '\n';
}

std::string lines_of_commands(const CLI::App& command) {
  std::string lines;
  for (const CLI::App* each : subcommands_of(command))
    lines += line_of(each->get_name(), each->get_description());
  return lines;
}

/// `before`: what of the word precedes the value.
std::string lines_of_values(const OptionValue& value, const std::string& before) {
  if (value.is_path()) return kFileNames;
  std::string lines;
  for (const std::string& choice : value.choices) lines += line_of(before + choice, "");
  return lines;
}

/// The option of this name; null if there is none, or if it is a flag.
const CLI::Option* find_valued_option(const CLI::App& command, const std::string& name) {
  if (!name.starts_with('-')) return nullptr;
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr || value_of(*option).name.empty() ? nullptr : option;
}

/// Subcommands, arguments or options. `current`: the word so far.
std::string lines_of(const CLI::App& command, const CLI::App& program, const std::string& current) {
  std::string options, words = lines_of_commands(command);
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) {
      for (const std::string& name : names_of(*option))
        options += line_of(name, option->get_description());
    } else if (value_of(*option).name == "COMMAND") {
      words = lines_of_commands(program);
    } else if (value_of(*option).is_path()) {
      words = kFileNames;
    }
  }
  return current.starts_with('-') || words.empty() ? options : words;
}

}  // namespace

std::string completions(const CLI::App& program, std::vector<std::string> words) {
  std::string current;
  if (!words.empty()) {
    current = std::move(words.back());
    words.pop_back();
  }
  if (current == "=") current.clear();  // bash makes three words of --vote=unit
  if (!words.empty() && words.back() == "=") words.pop_back();
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    const CLI::App* next = find_subcommand(*command, word);
    if (next == nullptr) break;
    command = next;
  }
  const std::size_t value_begin = current.find('=') + 1;  // 0: there is none
  if (value_begin > 0) {
    const CLI::Option* option = find_valued_option(*command, current.substr(0, value_begin - 1));
    if (option != nullptr)
      return lines_of_values(value_of(*option), current.substr(0, value_begin));
  }
  const CLI::Option* before = words.empty() ? nullptr : find_valued_option(*command, words.back());
  if (before != nullptr && !value_of(*before).is_optional)
    return lines_of_values(value_of(*before), "");
  return lines_of(*command, program, current);
}

}  // namespace kindred::cli
