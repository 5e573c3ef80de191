#include "plugin/cli/manual/completion.h"

#include <map>
#include <vector>

#include "plugin/cli/manual/completion_parts.h"

namespace kindred::cli {
namespace {

// The words before the one that is completed say which command it is: the longest run of them that
// names one. Values of options cannot be mistaken for a command, as only those at the beginning
// count.
constexpr const char* kBashHead =
    R"(# bash completion for kindred; made by 'kindred help --completion bash'
_kindred() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command=kindred place=1 commands='' options='' files=''
  local -A known=()
)";

constexpr const char* kBashFind = R"(
  while [ $place -lt $COMP_CWORD ] && [ -n "${known[$command ${COMP_WORDS[place]}]-}" ]; do
    command+=" ${COMP_WORDS[place]}"
    place=$((place + 1))
  done
  if [ "$current" = = ]; then
    current=''
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$command $previous" in
)";

constexpr const char* kBashTail = R"(  esac
  if [ -n "$files" ] && [[ $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [ -n "$commands" ] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  fi
}
complete -F _kindred kindred
)";

std::vector<std::string> last_names(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> names;
  for (const CommandDescription& each : commands) names.push_back(last_name(each));
  return names;
}

/// Lines that note the names of all subcommands.
std::string known_commands(const CommandDescription& command) {
  std::string text;
  for (const CommandDescription& each : command.subcommands)
    text += "  known['" + each.name + "']=1\n" + known_commands(each);
  return text;
}

/// The cases of "COMMAND --option": what its value may be.
std::string value_cases(const CommandDescription& command) {
  std::map<std::string, std::string> names;  // what may follow, and the options that it follows
  for (const OptionDescription& option : command.options) {
    if (option.is_argument || option.value.empty() || option.is_value_optional) continue;
    std::string& known =
        names[takes_path(option) ? "files=1" : "options='" + joined(option.choices) + "'"];
    for (const std::string& name : option.names)
      known += (known.empty() ? "'" : "|'") + command.name + " " + name + "'";
  }
  std::string text;
  for (const auto& [value, known] : names) text += "    " + known + ") " + value + " ;;\n";
  for (const CommandDescription& each : command.subcommands) text += value_cases(each);
  return text;
}

/// The cases of "COMMAND" after anything else: its subcommands, arguments and options. `all`: the
/// commands of the program, which may be arguments.
std::string command_cases(const CommandDescription& command, const std::string& all) {
  std::string text, names, commands = joined(last_names(command.subcommands));
  bool has_files = false;
  for (const OptionDescription& option : command.options) {
    if (!option.is_argument) {
      names += (names.empty() ? "" : " ") + joined(option.names);
    } else if (option.value == "COMMAND") {
      commands = all;
    } else {
      has_files = has_files || takes_path(option);
    }
  }
  for (const CommandDescription& each : command.subcommands) text += command_cases(each, all);
  text += "    '" + command.name + " '*) commands='" + commands + "' options='" + names + "'" +
          (has_files ? " files=1" : "") + " ;;\n";
  return text;
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  return kBashHead + known_commands(program) + kBashFind + value_cases(program) +
         command_cases(program, joined(last_names(program.subcommands))) + kBashTail;
}

}  // namespace kindred::cli
