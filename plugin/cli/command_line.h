#pragma once

// The command line, as the commands see it. A command says
// - which subcommands, options and flags it has, and what the help says of them;
// - which values an option takes, and which options need or exclude each other;
// - what to do once they are read.
//
// CLI11 does the work. Its header takes seconds to compile and leaves 100 KB of code in the object
// of each source that includes it, so command_line.cpp alone includes it. This face offers what the
// commands use. Methods have the names and the meaning that they have in CLI11.
//
// Command and Option are handles: a copy is the same command or option. They are valid as long as
// their CommandLine.

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kindred::cli {

/// The command line is wrong; what() says how. Callbacks throw it, too.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Says what is wrong with the value of an option, or "". It may rewrite the value.
using Check = std::function<std::string(std::string& value)>;

/// What an option is, for manuals and completion.
struct OptionDescription {
  std::vector<std::string> names;    ///< "-k", "--json"; of an argument its name alone, "label"
  std::string value;                 ///< what the help calls the value; "" = a flag
  std::vector<std::string> choices;  ///< the values that it takes; empty = not a matter of choice
  std::string description;
  std::string heading;       ///< of its group in the help
  std::string default_text;  ///< the value without the option, or of a bare name; "" = not said
  std::vector<std::string> needs, excludes;  ///< names of other options
  bool is_argument = false;                  ///< it has no dash
  bool is_required = false;
  bool is_list = false;            ///< several values may be given
  bool is_value_optional = false;  ///< the name may stand alone
};

/// What a command is, with its subcommands in the order of the help.
struct CommandDescription {
  std::string name;  ///< with those of the commands that it belongs to: "kindred topics map"
  std::string description;
  std::vector<OptionDescription> options;
  std::string footer;  ///< what ends the help
  std::vector<CommandDescription> subcommands;
};

/// An option or flag of a command. What sets something returns the option itself.
class Option {
 public:
  Option type_name(const std::string& name) const;  ///< what the help calls the value
  Option group(const std::string& heading) const;   ///< the heading that it has in the help
  Option capture_default_str() const;               ///< the help shows the value that it has now
  Option required() const;
  Option needs(Option other) const;
  Option excludes(Option other) const;  ///< and the other way round
  Option check(Check check) const;
  /// Checks that the value is one of these; the help lists them.
  Option choices(const std::vector<std::string>& values) const;
  Option allow_extra_args(bool allow) const;  ///< of a list: several values may follow one name
  Option delimiter(char separator) const;     ///< of a list: separates values in one argument
  /// The value may be left out; then it is this one. Without the option, nothing is set.
  Option optional_value(const std::string& value) const;

  std::size_t count() const;  ///< how many values were given

 private:
  friend class Command;
  explicit Option(CLI::Option* option) : option_(option) {}

  CLI::Option* option_;
};

/// The program, or one of its subcommands.
class Command {
 public:
  Command add_subcommand(const std::string& name, const std::string& description) const;
  void require_subcommand() const;  ///< exactly one

  /// Adds an option, or, if `name` has no dash, an argument. `value` must live until the end of
  /// parse(), which sets it if the option is given.
  /// T: one of those that the end of command_line.cpp lists; add what is missing there.
  template <typename T>
  Option add_option(const std::string& name, T& value, const std::string& description) const;
  Option add_flag(const std::string& name, bool& value, const std::string& description) const;
  /// A flag that may have a value behind "=". Without one, `value` becomes `alone`.
  Option add_flag(const std::string& name, std::string& value, const std::string& alone,
                  const std::string& description) const;
  /// The option of this name, which was added before.
  Option get_option(const std::string& name) const;

  /// The subcommand of this name, if there is one.
  std::optional<Command> subcommand(const std::string& name) const;
  /// "there is no command 'NAME'", and which one is perhaps meant.
  std::string unknown_subcommand(const std::string& name) const;

  std::string help() const;  ///< what --help prints
  CommandDescription describe() const;

  void footer(const std::string& text) const;                  ///< what ends the help
  void callback(const std::function<void()>& callback) const;  ///< called once this was parsed

 private:
  friend class CommandLine;
  explicit Command(CLI::App* app) : app_(app) {}

  CLI::App* app_;
};

/// The command line of a program, which has --help and --version.
class CommandLine {
 public:
  /// `version`: the line that --version prints.
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command program() const { return Command(app_.get()); }

  /// Reads the arguments, sets the values and calls the callbacks. Returns false if help or version
  /// was asked for, which it has printed on standard output.
  /// @throws UsageError, and what callbacks throw.
  bool parse(int argc, const char* const* argv);

  /// The subcommands that parse() met, from the outermost.
  std::vector<std::string> subcommands() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace kindred::cli
