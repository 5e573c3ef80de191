#pragma once

// What the program says of its own command line: in suggestions, manuals and completion.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kindred::cli {

/// The help of commands, as wide as the terminal that standard output leads to, but at most 100
/// columns; 80 in a pipe. A line that is too long goes on below the text of its column, or runs on
/// into the next line of its paragraph.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat();
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// The columns of such a help, and the help of a command in that many.
std::size_t help_columns();
std::string help_text(const CLI::App& command, std::size_t columns);

/// In the order of the help.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// Null if there is none of this name.
const CLI::App* find_subcommand(const CLI::App& command, const std::string& name);

/// The name with those of the commands that it belongs to: "kindred topics map".
std::string full_name(const CLI::App& command);

/// The innermost of the commands that were parsed.
const CLI::App& parsed_command(const CLI::App& program);

/// "there is no command 'NAME'", and which one is perhaps meant.
std::string unknown_subcommand(const CLI::App& command, const std::string& name);

/// The database where none is named: the one that $KINDRED_DB names, else the nearest .kindred in
/// this folder or one above; "" if there is none.
std::string usual_database();

/// The words of a command line, which follow the name of the program, with --db and the usual
/// database at their end if the command requires it and it is not given. Without one, and behind
/// "--", as they are.
std::vector<std::string> with_database(const CLI::App& program, std::vector<std::string> words);

/// What is wrong with a command line. `error`: what parsing it has thrown.
std::string fault_of(const CLI::App& program, const CLI::ParseError& error);

/// "-k", "--json"; of an argument its name alone, "FILE".
std::vector<std::string> names_of(const CLI::Option& option);

/// The value of an option, or an argument.
struct OptionValue {
  std::string name;                  ///< what the help calls it; "" = a flag has none
  std::vector<std::string> choices;  ///< empty = not a matter of choice
  bool is_optional = false;          ///< the name of the option may stand alone
  bool is_list = false;              ///< several may be given

  /// True for the name of a file or folder.
  bool is_path() const { return name == "FILE" || name == "DIR"; }
};
OptionValue value_of(const CLI::Option& option);

/// What completes the last of these words, which follow the name of the program: a candidate and
/// its description a line, with a tab between them; or the line ":files" where a file is expected.
/// Shells choose the candidates that begin as the word does. Their scripts are in
/// plugin/cli/completion.
std::string completions(const CLI::App& program, std::vector<std::string> words);

}  // namespace kindred::cli
