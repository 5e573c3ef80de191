#include "plugin/cli/manual/completion_zsh.h"

#include "plugin/cli/manual/completion_parts.h"

namespace kindred::cli {
namespace {

constexpr const char* kZshHead = R"(#compdef kindred
# zsh completion for kindred; made by 'kindred help --completion zsh'
_kindred() {
  local curcontext=$curcontext state line command=kindred
  local -a names
  local -A opt_args known=()";

// The words before the one that is completed say which command it is: the longest run of them that
// names one. _arguments then sees the rest of the line as that of a command.
constexpr const char* kZshFind = R"()
  while (( CURRENT > 2 )) && (( ${+known[$command $words[2]]} )); do
    command+=" $words[2]"
    shift words
    (( CURRENT-- ))
  done
  case $command in
)";

constexpr const char* kZshTail = R"(  esac
  if [[ $state == names ]]; then
    _describe -t commands command names
  fi
}
if [[ $funcstack[1] == _kindred ]]; then
  _kindred "$@"
else
  compdef _kindred kindred
fi
)";

/// For single quotes, with a backslash before each of `special`.
std::string zsh_text(const std::string& text, const std::string& special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) escaped += '\\';
    escaped += c == '\'' ? "'\\''" : std::string{c};
  }
  return escaped;
}

/// ":message:action": what a value may be.
std::string zsh_value(const OptionDescription& option) {
  const std::string message = ":" + value_name(option) + ":";
  if (!option.choices.empty()) return message + "(" + joined(option.choices) + ")";
  return message + (takes_path(option) ? "_files" : " ");
}

/// The arguments of _arguments for an option: one for each of its names.
std::string zsh_option(const OptionDescription& option) {
  std::string text;
  for (const std::string& name : option.names) {
    std::string before = option.is_list ? "*" : "(" + joined(option.names) + ")", after;
    if (!option.value.empty()) {
      before += name + (option.is_value_optional ? "=-" : name.starts_with("--") ? "=" : "");
      after = (option.is_value_optional ? ":" : "") + zsh_value(option);
    } else {
      before += name;
    }
    const std::string description = zsh_text(one_line(option.description), "[]:\\");
    text += " \\\n        '" + before + "[" + description + "]" + after + "'";
  }
  return text;
}

std::string zsh_names(const std::vector<CommandDescription>& commands) {
  std::string text;
  for (const CommandDescription& each : commands)
    text += " '" + zsh_text(last_name(each) + ":" + one_line(each.description), "") + "'";
  return text;
}

std::string zsh_case(const CommandDescription& command, const CommandDescription& program) {
  std::string arguments;
  std::string names = zsh_names(command.subcommands);
  for (const OptionDescription& option : command.options) {
    if (!option.is_argument) {
      arguments += zsh_option(option);
    } else if (option.value == "COMMAND") {
      names = zsh_names(program.subcommands);
    } else {
      arguments += " \\\n        '*" + zsh_value(option) + "'";
    }
  }
  if (!names.empty()) arguments += " \\\n        '1:command:->names'";
  return "    '" + command.name + "')\n      names=(" + names +
         ")\n      _arguments -C -s -S :" + arguments + " ;;\n";
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
  std::string known, cases;
  for (const CommandDescription* command : all_commands(program)) {
    if (command != &program) known += " '" + command->name + "' 1";
    cases += zsh_case(*command, program);
  }
  return kZshHead + known + kZshFind + cases + kZshTail;
}

}  // namespace kindred::cli
