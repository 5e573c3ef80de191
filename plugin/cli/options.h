#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "config/settings.h"
#include "plugin/engine.h"

namespace kindred::cli {

/// Options that every subcommand has.
struct CommonOptions {
  std::string config;  ///< settings file; "" = the defaults
  bool json = false;
};
void add_common_options(CLI::App& command, CommonOptions& options);

/// Options of the subcommands that ask a database. What is given overrides the settings file.
struct DatabaseOptions {
  CommonOptions common;
  std::string database;
  std::optional<std::string> weighting;
  std::optional<std::string> backend;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> device;
  bool verbose = false;
};
void add_database_options(CLI::App& command, DatabaseOptions& options);

/// What is asked of classify: which vote, and how it is cut.
void add_vote_options(CLI::App& command, ClassifyRequest& request);

/// @throws Error from load_settings().
Settings read_settings(const CommonOptions& options);
Settings read_settings(const DatabaseOptions& options);

/// Opens the database. @throws Error as read_settings() and Engine().
Engine open_engine(const DatabaseOptions& options);

/// A log on standard error if `verbose`, else none.
Log make_log(bool verbose);

/// Checks of option values: a decimal whole number, a number, in [low, high].
CLI::Validator whole_number(std::int64_t low, std::int64_t high);
CLI::Validator number(double low, double high);

/// Check of a value that names something: it is not empty. `what`: as "a file".
CLI::Validator not_empty(const std::string& what);

/// Check of a language: a code or name that the analyzer knows, or "" for the settings' one.
CLI::Validator language();

}  // namespace kindred::cli
