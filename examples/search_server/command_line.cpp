#include "command_line.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <optional>

namespace search_server {
namespace {

constexpr const char* kFooter = R"(Examples:
  kindred-server --database wiki.db
  kindred-server --settings /etc/kindred/kindred-server.toml --check
The token that writing needs comes from a file (access.token_file) or from the environment
(KINDRED_SERVER_TOKEN). SIGTERM ends the requests in flight and stops; SIGHUP loads the plugin anew.)";

/// Flags that were given; they go before the file.
struct Flags {
  std::string settings;
  std::optional<std::string> database;
  std::optional<std::string> library;
  std::optional<std::string> name;
  std::optional<std::string> address;
  std::optional<std::uint16_t> port;
  std::optional<std::string> token_file;
  std::optional<LogLevel> log_level;
};

void apply(const Flags& flags, Settings& settings) {
  const auto take = [](const auto& flag, auto& setting) {
    if (flag) setting = *flag;
  };
  take(flags.database, settings.database);
  take(flags.library, settings.library);
  take(flags.name, settings.name);
  take(flags.address, settings.http.address);
  take(flags.port, settings.http.port);
  take(flags.token_file, settings.token_file);
  take(flags.log_level, settings.log_level);
}

}  // namespace

bool read_command_line(int count, char** arguments, CommandLine& line, int& status) {
  const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                  {"info", LogLevel::kInfo},
                                                  {"warning", LogLevel::kWarning},
                                                  {"error", LogLevel::kError},
                                                  {"off", LogLevel::kOff}};
  Flags flags;
  CLI::App program("Serves the search of a Xapian database with Kindred, as JSON and as pages.",
                   "kindred-server");
  program.set_version_flag("--version", "kindred-server " KINDRED_VERSION);
  program.add_option("--settings", flags.settings, "TOML file with settings")->type_name("FILE");
  program.add_option("--database", flags.database, "Xapian database to serve")->type_name("DIR");
  program.add_option("--library", flags.library, "libkindred.so to load")->type_name("FILE");
  program.add_option("--name", flags.name, "name of the collection, for the page")
      ->type_name("TEXT");
  program.add_option("--address", flags.address, "address to listen at (127.0.0.1)")
      ->type_name("ADDRESS");
  program.add_option("--port", flags.port, "port to listen at (8080); 0: any that is free")
      ->type_name("PORT");
  program.add_option("--token-file", flags.token_file, "file that holds the token for writing")
      ->type_name("FILE");
  program.add_option("--log-level", flags.log_level, "debug, info, warning, error or off")
      ->transform(CLI::CheckedTransformer(levels).description(""))
      ->type_name("LEVEL");
  program.add_flag("--check", line.check_only, "check the settings and end");
  program.footer(kFooter);
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    status = program.exit(error) == 0 ? 0 : 2;
    return false;
  }
  if (!flags.settings.empty()) read_settings_file(flags.settings, line.settings);
  apply(flags, line.settings);
  complete_settings(line.settings);
  return true;
}

}  // namespace search_server
