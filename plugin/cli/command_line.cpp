#include "plugin/cli/command_line.h"

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "config/shown.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/terminal.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kFewestColumns = 40;
constexpr std::size_t kMostColumns = 100;
constexpr std::size_t kInPipe = 80;
constexpr std::size_t kDescriptions = 26;  // the column where those of options begin

/// "there is no WHAT 'WORD'", and what is perhaps meant, unless that is "".
std::string unknown(const std::string& what, const std::string& word, const std::string& meant) {
  std::string text = "there is no " + what + " '" + word + "'";
  if (!meant.empty()) text += "; did you mean '" + meant + "'?";
  return text;
}

/// "-k", "--json"; of an argument its name alone, "FILE".
std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// The value of an option, or an argument.
struct OptionValue {
  std::string name;                  ///< what the help calls it; "" = a flag has none
  std::vector<std::string> choices;  ///< empty = not a matter of choice
  bool is_optional = false;          ///< the name of the option may stand alone
  bool is_list = false;              ///< several may be given

  /// True for the name of a file or folder.
  bool is_path() const { return name == "FILE" || name == "DIR"; }
};

OptionValue value_of(const CLI::Option& option) {
  OptionValue value;
  if (option.get_items_expected_max() == 0) return value;

  // CLI11 keeps the name of a value and its choices in one text.
  const std::string type = option.get_type_name();  // "VALUE", or with choices "VALUE:{A,B}"
  const std::size_t colon = type.find(":{");
  value.name = type.substr(0, colon);
  if (value.name.empty() && option.get_positional()) value.name = option.get_name(true);
  if (colon != std::string::npos)
    value.choices = CLI::detail::split(type.substr(colon + 2, type.size() - colon - 3), ',');

  value.is_optional = option.get_items_expected_min() == 0;
  value.is_list = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  return value;
}

/// True if a command takes words that are no options, such as a query.
bool takes_words(const CLI::App& command) {
  return std::ranges::any_of(command.get_options(), [](const CLI::Option* option) {
    return option->get_positional();
  });
}

/// Of an option that stands before its command.
std::string misplaced(const std::string& name, const CLI::App& command) {
  return "'" + name + "' goes behind a command, as in '" + full_name(command) + " " + name + "'";
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    for (const std::string& name : names_of(*option)) names.push_back(name);
  }

  // What follows the name, as in "--limt=5", is no part of the slip.
  const std::string name = word.substr(0, word.find('='));
  for (const CLI::App* each : subcommands_of(command))
    if (each->get_option_no_throw(name) != nullptr) return misplaced(name, *each);
  const std::string likely = likely_of(name, names);
  std::string fault = unknown("option", name, likely);

  // It may be a query that begins with a minus.
  if (likely.empty() && takes_words(command)) fault += "; if it is none, write -- before it";
  return fault;
}

/// What helps where something is missing. `fault`: what CLI11 says.
std::string missing(const CLI::App& command, const std::string& fault) {
  for (const CLI::App* each = command.get_parent(); each != nullptr; each = each->get_parent())
    for (const std::string& word : each->remaining())
      if (word.starts_with('-') && command.get_option_no_throw(word) != nullptr)
        return misplaced(word, command);

  if (fault == "--db is required")
    return fault + ": it names the index, as $KINDRED_DB or a folder .kindred here or above does";
  std::string names;
  for (const CLI::App* each : subcommands_of(command)) append_item(names, each->get_name());
  if (names.empty()) return fault;
  return "expected one of the commands " + names;
}

/// Null if there is none of this name.
const CLI::App* find_subcommand(const CLI::App& command, const std::string& name) {
  for (const CLI::App* each : subcommands_of(command))
    if (each->get_name() == name) return each;
  return nullptr;
}

constexpr const char* kFileNames = ":files\n";

std::string line_of(const std::string& word, const std::string& description) {
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
  const bool has_value = option != nullptr && !value_of(*option).name.empty();
  if (has_value) return option;
  return nullptr;
}

/// Subcommands, arguments or options. `current`: the word so far.
std::string lines_of(const CLI::App& command, const CLI::App& program, const std::string& current) {
  // Where a word is expected, it is a subcommand or an argument; options stand everywhere.
  std::string options;
  std::string words = lines_of_commands(command);

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

  if (current.starts_with('-') || words.empty()) return options;
  return words;
}

}  // namespace

std::string usual_database() {
  // As git finds its folder: the nearest one that holds an index, from here up to the root.
  if (const char* const named = std::getenv("KINDRED_DB")) return named;

  std::error_code fault;
  std::filesystem::path folder = std::filesystem::current_path(fault);
  while (!fault && !folder.empty()) {
    if (std::filesystem::exists(folder / ".kindred", fault)) return folder / ".kindred";
    if (folder == folder.root_path()) break;
    folder = folder.parent_path();
  }
  return "";
}

HelpFormat::HelpFormat(std::size_t columns) : columns_(columns) {
  column_width(kDescriptions);
  if (columns_ > 0) return;

  // In a pipe there is no width to fit, and lines that are too long on a wide terminal read badly.
  const std::size_t width = terminal_width(STDOUT_FILENO);
  columns_ = width == 0 ? kInPipe : std::clamp(width, kFewestColumns, kMostColumns);
}

std::string HelpFormat::make_help(const CLI::App* command, std::string name,
                                  CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(command, std::move(name), mode);

  // CLI11 puts empty lines between groups, of which some are empty.
  std::size_t at = text.find("\n\n\n");
  for (; at != text.npos; at = text.find("\n\n\n", at)) {
    text.erase(at, 1);
  }

  return wrapped(text, columns_);
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  const OptionValue value = value_of(*option);

  std::string text;
  if (!value.name.empty() && !option->get_positional()) {
    text = ' ' + value.name;
    if (value.is_optional) text = "[=" + value.name + "]";
  }
  if (value.is_list) text += " ...";

  const bool is_asked = option->get_required() && !option->check_lname("db");  // see completed()
  if (is_asked) text += " REQUIRED";
  return text;
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  const OptionValue value = value_of(*option);
  std::string text = option->get_description();
  if (!value.choices.empty()) text += "; one of " + CLI::detail::join(value.choices, ", ");

  const std::string initial = option->get_default_str();
  if (!initial.empty() && !value.is_optional) text += "; default " + initial;

  for (const CLI::Option* other : option->get_needs()) text += "; needs " + other->get_name();
  for (const CLI::Option* other : option->get_excludes()) text += "; not with " + other->get_name();
  return text;
}

std::string help_text(const CLI::App& command, std::size_t columns) {
  return HelpFormat(columns).make_help(&command, full_name(command), CLI::AppFormatMode::Normal);
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) {
    return true;
  });
}

const CLI::App& named_command(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    const CLI::App* const next = find_subcommand(*command, word);
    if (next == nullptr) break;
    command = next;
  }
  return *command;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr) return command.get_name();
  return full_name(*parent) + " " + command.get_name();
}

const CLI::App& parsed_command(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands()[0];
  return *command;
}

std::string unknown_subcommand(const CLI::App& command, const std::string& name) {
  // A word that is a subcommand elsewhere ("map") was most likely meant there ("topics map").
  std::vector<std::string> names;
  for (const CLI::App* each : subcommands_of(command)) {
    names.push_back(each->get_name());

    if (find_subcommand(*each, name) != nullptr)
      return unknown("command", name, each->get_name() + " " + name);
  }

  // So may one that is an option of just one command ("accept").
  std::vector<std::string> options;
  for (const CLI::App* each : subcommands_of(command))
    if (each->get_option_no_throw("--" + name) != nullptr)
      options.push_back(each->get_name() + " --" + name);
  if (options.size() == 1) return unknown("command", name, options.front());

  return unknown("command", name, likely_of(name, names));
}

std::vector<std::string> completed(const CLI::App& program, std::vector<std::string> words) {
  // CLI11 would take the next word as the value of an option that has one only after "=". So the
  // value that it stands for is written out, unless a number follows.
  const CLI::App* const command = &named_command(program, words);
  const auto is_number = [&](std::size_t i) {
    return i < words.size() && !number_in(words[i], Shape::Type::kNumber).is_null();
  };
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const CLI::Option* const option = find_valued_option(*command, words[i]);
    if (option != nullptr && value_of(*option).is_optional && !is_number(i + 1))
      words[i] += '=' + option->get_default_str();
  }

  // The database of this folder, where one is needed and none is named. Not for the help, which
  // needs none.
  const auto is_settled = [](const std::string& word) {
    return word == "-h" || word == "--help" || word.starts_with("--db");
  };
  const CLI::Option* const option = command->get_option_no_throw("--db");
  const auto options_end = std::ranges::find(words, "--");
  if (option == nullptr || !option->get_required() ||
      std::any_of(words.begin(), options_end, is_settled))
    return words;

  // Options end at "--".
  const std::string database = usual_database();
  if (!database.empty()) words.insert(std::ranges::find(words, "--"), {"--db", database});
  return words;
}

std::string fault_of(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = parsed_command(program);
  std::vector<std::string> rest = command.remaining();
  std::erase(rest, "--");
  if (rest.empty()) return missing(command, error.what());

  // CLI11 speaks of the first word that it does not know. What was meant by that word helps more.
  if (rest[0].starts_with('-') && rest[0].size() > 1) return unknown_option(command, rest[0]);
  const bool is_missing = command.get_require_subcommand_min() > 0;
  if (is_missing) return unknown_subcommand(command, rest[0]);
  return error.what();
}

std::string completions(const CLI::App& program, std::vector<std::string> words) {
  // The last word is the one that is being written; "" after a blank.
  std::string current;
  if (!words.empty()) {
    current = std::move(words.back());
    words.pop_back();
  }

  if (current == "=") current.clear();  // bash makes three words of --vote=unit
  if (!words.empty() && words.back() == "=") words.pop_back();

  // The value of an option that is written with "=".
  const CLI::App* const command = &named_command(program, words);
  const std::size_t value_begin = current.find('=') + 1;  // 0: there is none
  if (value_begin > 0) {
    const CLI::Option* option = find_valued_option(*command, current.substr(0, value_begin - 1));
    if (option != nullptr)
      return lines_of_values(value_of(*option), current.substr(0, value_begin));
  }

  // The value of an option that is the word before.
  const CLI::Option* before = nullptr;
  if (!words.empty()) before = find_valued_option(*command, words.back());
  if (before != nullptr && !value_of(*before).is_optional)
    return lines_of_values(value_of(*before), "");

  return lines_of(*command, program, current);
}

}  // namespace kindred::cli
