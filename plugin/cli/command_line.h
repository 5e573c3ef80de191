#pragma once

// What the program says of its own command line: in suggestions, manuals and completion.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kindred::cli {

/// The help of commands, as wide as the terminal that standard output leads to, but at most 100
/// columns; 80 in a pipe. A line that is too long goes on below the text of its column, or runs on
/// into the next line of its paragraph. The choices of an option, and its default, are a part of
/// its description.
class HelpFormat : public CLI::Formatter {
 public:
  /// `columns`: 0 for those of the terminal.
  explicit HelpFormat(std::size_t columns = 0);
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  std::size_t columns_;
};

/// The help of a command in so many columns.
std::string help_text(const CLI::App& command, std::size_t columns = 0);

/// In the order of the help.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// The innermost command that the first words name.
const CLI::App& named_command(const CLI::App& program, const std::vector<std::string>& words);

/// The name with those of the commands that it belongs to: "kindred topics map".
std::string full_name(const CLI::App& command);

/// The innermost of the commands that were parsed.
const CLI::App& parsed_command(const CLI::App& program);

/// "there is no command 'NAME'", and which one is perhaps meant.
std::string unknown_subcommand(const CLI::App& command, const std::string& name);

/// The database where none is named: the one that $KINDRED_DB names, else the nearest .kindred in
/// this folder or one above; "" if there is none.
std::string usual_database();

/// The words of a command line, which follow the name of the program, as they are parsed:
/// - A value that may be left out, and is not followed by a number, is its default.
/// - --db and the usual database are at their end if the command requires it and it is not given.
///   Without one, and behind "--", they are as they were.
std::vector<std::string> completed(const CLI::App& program, std::vector<std::string> words);

/// What is wrong with a command line. `error`: what parsing it has thrown.
std::string fault_of(const CLI::App& program, const CLI::ParseError& error);

/// What completes the last of these words, which follow the name of the program: a candidate and
/// its description a line, with a tab between them; or the line ":files" where a file is expected.
/// Shells choose the candidates that begin as the word does. Their scripts are in
/// plugin/cli/completion.
std::string completions(const CLI::App& program, std::vector<std::string> words);

}  // namespace kindred::cli
