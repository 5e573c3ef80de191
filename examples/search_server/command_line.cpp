#include "command_line.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace search_server {
namespace {

constexpr const char* kFooter = R"(Examples:
  kindred-server --database wiki.db
  kindred-server --settings /etc/kindred/kindred-server.toml --check
The token that writing needs comes from a file (access.token_file) or from the environment
(KINDRED_SERVER_TOKEN). SIGTERM ends the requests in flight and stops; SIGHUP loads the plugin anew.)";

}  // namespace

bool read_command_line(int count, char** arguments, CommandLine& line, int& status) {
  const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                  {"info", LogLevel::kInfo},
                                                  {"warning", LogLevel::kWarning},
                                                  {"error", LogLevel::kError},
                                                  {"off", LogLevel::kOff}};
  Settings& settings = line.settings;
  std::string file;
  CLI::App program("Serves the search of a Xapian database with Kindred, as JSON and as pages.",
                   "kindred-server");
  program.set_version_flag("--version", "kindred-server " KINDRED_VERSION);
  program.add_option("--settings", file, "TOML file with settings")->type_name("FILE");
  program.add_option("--database", settings.database, "Xapian database to serve")->type_name("DIR");
  program.add_option("--library", settings.library, "libkindred.so to load")->type_name("FILE");
  program.add_option("--name", settings.name, "name of the collection, for the page")
      ->type_name("TEXT");
  program.add_option("--address", settings.http.address, "address to listen at (127.0.0.1)")
      ->type_name("ADDRESS");
  program.add_option("--port", settings.http.port, "port to listen at (8080); 0: any that is free")
      ->type_name("PORT");
  program.add_option("--token-file", settings.token_file, "file that holds the token for writing")
      ->type_name("FILE");
  program.add_option("--log-level", settings.log_level, "debug, info, warning, error or off")
      ->transform(CLI::CheckedTransformer(levels).description(""))
      ->type_name("LEVEL");
  program.add_flag("--check", line.check_only, "check the settings and end");
  program.footer(kFooter);
  try {
    program.parse(count, arguments);
    if (!file.empty()) {
      settings = {};
      read_settings_file(file, settings);
      program.parse(count, arguments);  // flags go before the file
    }
  } catch (const CLI::ParseError& error) {
    status = program.exit(error) == 0 ? 0 : 2;
    return false;
  }
  complete_settings(settings);
  return true;
}

}  // namespace search_server
