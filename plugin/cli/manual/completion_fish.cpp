#include "plugin/cli/manual/completion_fish.h"

#include "plugin/cli/manual/completion_parts.h"

namespace kindred::cli {
namespace {

// The words before the one that is completed say which command it is: the longest run of them that
// names one.
constexpr const char* kFishFind = R"(
    set -l command kindred
    set -l words (commandline -opc)
    for word in $words[2..-1]
        contains -- "$command $word" $known; or break
        set command "$command $word"
    end
    test "$command" = "$argv[1]"
end
complete -c kindred -f
)";

/// In single quotes.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

/// What every line for a command begins with.
std::string fish_line(const CommandDescription& command) {
  return "complete -c kindred -n " + fish_quoted("__kindred_is " + fish_quoted(command.name));
}

std::string fish_option(const CommandDescription& command, const OptionDescription& option) {
  std::string line = fish_line(command);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.choices.empty()) line += " -a " + fish_quoted(joined(option.choices));
  if (!option.value.empty() && !option.is_value_optional)
    line += takes_path(option) ? " -r -F" : " -x";
  return line + " -d " + fish_quoted(one_line(option.description)) + "\n";
}

std::string fish_names(const CommandDescription& command,
                       const std::vector<CommandDescription>& names) {
  std::string text;
  for (const CommandDescription& each : names)
    text += fish_line(command) + " -a " + last_name(each) + " -d " +
            fish_quoted(one_line(each.description)) + "\n";
  return text;
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  std::string known, text;
  for (const CommandDescription* command : all_commands(program)) {
    known += " " + fish_quoted(command->name);
    text += fish_names(*command, command->subcommands);
    for (const OptionDescription& option : command->options) {
      if (!option.is_argument) {
        text += fish_option(*command, option);
      } else if (option.value == "COMMAND") {
        text += fish_names(*command, program.subcommands);
      } else if (takes_path(option)) {
        text += fish_line(*command) + " -F\n";
      }
    }
  }
  return "# fish completion for kindred; made by 'kindred help --completion fish'\n"
         "function __kindred_is\n    set -l known" +
         known + kFishFind + text;
}

}  // namespace kindred::cli
