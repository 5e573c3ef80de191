#include "plugin/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

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

/// A message for an unknown command, where CLI11 says only that `command` needs a subcommand. ""
/// for any other fault.
std::string unknown_command(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  const bool is_missing =
      command.get_require_subcommand_min() > 0 && command.get_subcommands().empty();
  if (!is_missing || rest.empty() || rest[0].starts_with('-')) return "";
  return "there is no command '" + rest[0] + "'";
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
    const std::string unknown = unknown_command(commands.empty() ? *app_ : *commands.back());
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
