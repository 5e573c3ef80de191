#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "config/settings.h"
#include "plugin/ask/question.h"
#include "plugin/engine.h"

namespace kindred::cli {

/// Exit statuses of the program.
inline constexpr int kGood = 0;
inline constexpr int kFailed = 1;  ///< an error, or some records failed
inline constexpr int kUsage = 2;   ///< the command line is wrong

/// Does what the command line asks for; returns the exit status. Throws what the library throws.
using Action = std::function<int()>;

/// Lets a command call run(*options) when the command line has been read.
template <typename Options>
void set_action(CLI::App& command, Action& action, const std::shared_ptr<Options>& options,
                int (*run)(const std::type_identity_t<Options>&)) {
  command.callback([options, run, &action] {
    action = [options, run] {
      return run(*options);
    };
  });
}

/// Options that every subcommand has.
struct CommonOptions {
  std::string config;  ///< settings file; "" = the defaults
  bool json = false;
};
void add_common_options(CLI::App& command, CommonOptions& options);

/// Options of the subcommands that use a database. They override the settings file.
struct DatabaseOptions {
  CommonOptions common;
  std::string database;
  std::vector<std::function<void(Settings&)>> given;  ///< what options set
  bool verbose = false;
  bool needs_labels = false;  ///< the command is about labels, so it says if there are none
  bool suggests = false;      ///< names of a vocabulary do instead, which it says
  bool renews_files = false;  ///< so those that are lost are not reported
};
void add_database_options(CLI::App& command, DatabaseOptions& options);

/// An option for the name of a file.
CLI::Option* add_file_option(CLI::App& command, const std::string& name, std::string& path,
                             const std::string& what);

/// The option --wait, of the subcommands that write to the database.
void add_wait_option(CLI::App& command, DatabaseOptions& options);

/// The option --progress: the mode of a Progress.
void add_progress_option(CLI::App& command, std::string& mode);

/// The help text of an option with its default: "CPU threads; default 0".
std::string with_default(const std::string& text, const auto& value) {
  return text + "; default " + CLI::detail::to_string(value);
}

/// The settings file in force: the one of --config; else the first that exists of $KINDRED_CONFIG,
/// kindred.toml among Kindred's files beside the database ("" = none), kindred/kindred.toml in
/// $XDG_CONFIG_HOME (else ~/.config), and /etc/kindred/kindred.toml; else "". A file that
/// $KINDRED_CONFIG names must exist.
std::string settings_file(const CommonOptions& options, const std::string& database);

/// @throws Error from load_settings().
Settings read_settings(const CommonOptions& options, const std::string& database = "");
Settings read_settings(const DatabaseOptions& options);

/// Opens the database. If nothing is found in it (no features or, where they are needed, no
/// labels), says on standard error what it has, what was expected, and which settings would read
/// it.
/// @throws Error as read_settings() and Engine().
Engine open_engine(const DatabaseOptions& options);

/// Saves the mirror after a command that has changed so many documents, if mirror.save leaves it to
/// the program and they are many. What goes wrong is only logged.
void save_mirror_after(std::uint64_t changed, const DatabaseOptions& options, Settings settings);

/// A log on standard error if `verbose`, else none.
Log make_log(bool verbose);

/// The number that a text is, whole or not; null if it is none.
Json number_in(const std::string& text, Shape::Type type);

/// Checks that an option value is a number that fits, and lets no whole one begin with 0.
CLI::Validator fitting(const Shape& shape);
CLI::Validator in_range(Shape::Type type, std::int64_t low, std::int64_t high);

/// Checks that an option value is one of these words.
CLI::Validator one_of(std::vector<std::string> words);

/// Checks that a value is not empty. `what` it names, for the message: for instance "a file".
CLI::Validator not_empty(const std::string& what);

/// Checks that a value is a language: a code or name that the analyzer knows, or "" for the one of
/// the settings.
CLI::Validator language();

}  // namespace kindred::cli
