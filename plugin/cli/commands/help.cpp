// kindred help: the help of a command, man pages, and completion for a shell.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/manual/completion.h"
#include "plugin/cli/manual/completion_fish.h"
#include "plugin/cli/manual/completion_zsh.h"
#include "plugin/cli/manual/man_page.h"
#include "plugin/cli/options.h"

namespace kindred::cli {
namespace {

constexpr const char* kHelpFooter = R"(
Examples:
  kindred help related
  kindred help topics train
  kindred help --man-pages /usr/local/share/man/man1
  kindred help --completion bash > ~/.local/share/bash-completion/completions/kindred
  kindred help --completion fish > ~/.config/fish/completions/kindred.fish
The man pages and the completion are also installed with the program.)";

struct HelpOptions {
  std::vector<std::string> command;
  std::string man_pages, completion;
};

/// @throws UsageError if there is no such command.
Command find_command(Command command, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::optional<Command> next = command.subcommand(name);
    if (!next) throw UsageError(command.unknown_subcommand(name));
    command = *next;
  }
  return command;
}

std::string completion_for(const std::string& shell, const CommandDescription& program) {
  if (shell == "fish") return fish_completion(program);
  return shell == "zsh" ? zsh_completion(program) : bash_completion(program);
}

int run(const HelpOptions& options, Command program, Command asked) {
  if (!options.man_pages.empty())
    write_man_pages(program.describe(), "kindred " KINDRED_VERSION, options.man_pages);
  if (!options.completion.empty())
    std::cout << completion_for(options.completion, program.describe());
  if (options.man_pages.empty() && options.completion.empty()) std::cout << asked.help();
  return kGood;
}

}  // namespace

void add_help(Command program, Action& action) {
  const Command command = program.add_subcommand("help", "Show the help of a command");
  auto options = std::make_shared<HelpOptions>();
  command.add_option("command", options->command, "The command, such as topics train")
      .type_name("COMMAND");
  command
      .add_option("--man-pages", options->man_pages,
                  "Write a man page for each command into this folder")
      .type_name("DIR")
      .check(not_empty("a folder"));
  command
      .add_option("--completion", options->completion, "Print the completion script of this shell")
      .type_name("SHELL")
      .choices({"bash", "fish", "zsh"});
  command.footer(kHelpFooter + 1);
  command.callback([options, program, &action] {
    const Command asked = find_command(program, options->command);
    action = [options, program, asked] { return run(*options, program, asked); };
  });
}

}  // namespace kindred::cli
