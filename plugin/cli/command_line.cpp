#include "plugin/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>

#include "config/nearest_word.h"

namespace kindred::cli {
namespace {

/// The subcommands that were parsed, from the outermost.
std::vector<const CLI::App*> parsed_subcommands(const CLI::App& program) {
  std::vector<const CLI::App*> found;
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands()[0];
    found.push_back(command);
  }
  return found;
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::string name_with_parents(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : name_with_parents(*parent) + " ") + command.get_name();
}

/// "there is no WHAT 'WORD'", and what is perhaps meant, unless that is "".
std::string unknown(const std::string& what, const std::string& word, const std::string& meant) {
  return "there is no " + what + " '" + word + "'" +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
}

std::string unknown_command(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* each : subcommands_of(command)) names.push_back(each->get_name());
  for (const CLI::App* each : subcommands_of(command)) {
    for (const CLI::App* inner : subcommands_of(*each)) {
      if (inner->get_name() == word) return unknown("command", word, each->get_name() + " " + word);
    }
  }
  return unknown("command", word, likely_of(word, names));
}

std::vector<std::string> dashed_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : dashed_names(*option)) names.push_back(name);
  }
  const std::string name = word.substr(0, word.find('='));
  return unknown("option", name, likely_of(name, names));
}

/// What is wrong with the arguments that `command` has not understood, where CLI11 says less. ""
/// for any other fault.
std::string unknown_argument(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  if (rest.empty()) return "";
  if (rest[0].starts_with('-') && rest[0].size() > 1) return unknown_option(command, rest[0]);
  const bool is_missing =
      command.get_require_subcommand_min() > 0 && command.get_subcommands().empty();
  return is_missing ? unknown_command(command, rest[0]) : "";
}

/// The names of options, sorted, since CLI11 has them in the order of their addresses.
std::vector<std::string> sorted_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());
  return names;
}

OptionDescription describe_option(const CLI::Option& option) {
  OptionDescription about;
  about.is_argument = option.get_positional();
  about.names =
      about.is_argument ? std::vector<std::string>{option.get_name(true)} : dashed_names(option);
  const std::string type = option.get_type_name();  // "VALUE", or with choices "VALUE:{A,B}"
  const std::size_t colon = type.find(":{");
  about.value = type.substr(0, colon);
  if (colon != std::string::npos)
    about.choices = CLI::detail::split(type.substr(colon + 2, type.size() - colon - 3), ',');
  about.is_value_optional = option.get_items_expected_min() == 0;
  if (option.get_items_expected_max() == 0) about.value.clear();
  about.description = option.get_description();
  about.heading = option.get_group();
  about.default_text = about.value.empty() ? "" : option.get_default_str();
  about.needs = sorted_names(option.get_needs());
  about.excludes = sorted_names(option.get_excludes());
  about.is_required = option.get_required();
  about.is_list = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  return about;
}

CommandDescription describe_command(const CLI::App& command) {
  CommandDescription about{
      name_with_parents(command), command.get_description(), {}, command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options())
    about.options.push_back(describe_option(*option));
  for (const CLI::App* each : subcommands_of(command))
    about.subcommands.push_back(describe_command(*each));
  return about;
}

}  // namespace

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::group(const std::string& heading) const {
  option_->group(heading);
  return *this;
}

Option Option::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::check(Check check) const {
  option_->transform(CLI::Validator(std::move(check), ""));  // CLI11's check() drops rewriting
  return *this;
}

Option Option::choices(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::allow_extra_args(bool allow) const {
  option_->allow_extra_args(allow);
  return *this;
}

Option Option::delimiter(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option Option::optional_value(const std::string& value) const {
  option_->expected(0, 1)->default_str(value);
  return *this;
}

std::size_t Option::count() const { return option_->count(); }

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
  return Command(app_->add_subcommand(name, description));
}

void Command::require_subcommand() const { app_->require_subcommand(1); }

template <typename T>
Option Command::add_option(const std::string& name, T& value,
                           const std::string& description) const {
  return Option(app_->add_option(name, value, description));
}

Option Command::add_flag(const std::string& name, bool& value,
                         const std::string& description) const {
  return Option(app_->add_flag(name, value, description));
}

Option Command::add_flag(const std::string& name, std::string& value, const std::string& alone,
                         const std::string& description) const {
  return Option(app_->add_flag(name + "{" + alone + "}", value, description));
}

Option Command::get_option(const std::string& name) const { return Option(app_->get_option(name)); }

std::optional<Command> Command::subcommand(const std::string& name) const {
  const auto all = app_->get_subcommands([](CLI::App*) { return true; });
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const CLI::App* each) { return each->get_name() == name; });
  return found == all.end() ? std::nullopt : std::optional<Command>(Command(*found));
}

std::string Command::unknown_subcommand(const std::string& name) const {
  return unknown_command(*app_, name);
}

std::string Command::help() const {
  return app_->get_formatter()->make_help(app_, name_with_parents(*app_),
                                          CLI::AppFormatMode::Normal);
}

CommandDescription Command::describe() const { return describe_command(*app_); }

void Command::footer(const std::string& text) const { app_->footer(text); }

void Command::callback(const std::function<void()>& callback) const { app_->callback(callback); }

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("-v,--version", version);
  app_->get_formatter()->column_width(32);
}

CommandLine::~CommandLine() = default;

bool CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      app_->exit(e);
      return false;
    }
    const std::vector<const CLI::App*> commands = parsed_subcommands(*app_);
    const std::string unknown = unknown_argument(commands.empty() ? *app_ : *commands.back());
    throw UsageError(unknown.empty() ? e.what() : unknown);
  }
}

std::vector<std::string> CommandLine::subcommands() const {
  std::vector<std::string> names;
  for (const CLI::App* command : parsed_subcommands(*app_)) names.push_back(command->get_name());
  return names;
}

#define KINDRED_OPTION_TYPE(...) \
  template Option Command::add_option(const std::string&, __VA_ARGS__&, const std::string&) const
KINDRED_OPTION_TYPE(std::string);
KINDRED_OPTION_TYPE(std::int64_t);
KINDRED_OPTION_TYPE(std::uint64_t);
KINDRED_OPTION_TYPE(double);
KINDRED_OPTION_TYPE(std::optional<std::string>);
KINDRED_OPTION_TYPE(std::optional<std::int64_t>);
KINDRED_OPTION_TYPE(std::optional<double>);
KINDRED_OPTION_TYPE(std::vector<std::string>);
KINDRED_OPTION_TYPE(std::vector<std::uint32_t>);
#undef KINDRED_OPTION_TYPE

}  // namespace kindred::cli
