// kindred help: the help of a command, and man pages.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "plugin/cli/command_line.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/commands/man_page.h"
#include "plugin/cli/options.h"

namespace kindred::cli {
namespace {

constexpr const char* kHelpFooter = R"(
Examples:
  kindred help related
  kindred help topics train
  kindred help --man-pages /usr/local/share/man/man1
The man pages are also installed with the program, and so is its completion for bash,
fish and zsh.)";

struct HelpOptions {
  std::vector<std::string> command;
  std::string man_pages;
};

/// @throws CLI::ValidationError if there is no such command.
const CLI::App& find_command(const CLI::App& program, const std::vector<std::string>& names) {
  const CLI::App* command = &program;
  for (const std::string& name : names) {
    const CLI::App* next = find_subcommand(*command, name);
    if (next == nullptr) throw CLI::ValidationError(unknown_subcommand(*command, name));
    command = next;
  }
  return *command;
}

int run(const HelpOptions& options, const CLI::App& program, const CLI::App& asked) {
  if (!options.man_pages.empty()) {
    write_man_pages(program, "kindred " KINDRED_VERSION, options.man_pages);
  } else {
    std::cout << asked.get_formatter()->make_help(&asked, full_name(asked),
                                                  CLI::AppFormatMode::Normal);
  }
  return kGood;
}

}  // namespace

void add_help(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("help", "Show the help of a command");
  auto options = std::make_shared<HelpOptions>();
  command.add_option("command", options->command, "The command, such as topics train")
      ->type_name("COMMAND");
  command
      .add_option("--man-pages", options->man_pages,
                  "Write a man page for each command into this folder")
      ->type_name("DIR")
      ->check(not_empty("a folder"));
  command.footer(kHelpFooter + 1);
  command.callback([options, &program, &action] {
    const CLI::App& asked = find_command(program, options->command);
    action = [options, &program, &asked] { return run(*options, program, asked); };
  });
}

}  // namespace kindred::cli
