// kindred settings: the settings that hold for an index, and those that it remembers.

#include <iostream>
#include <memory>
#include <sstream>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/question.h"
#include "plugin/store/remembered.h"

namespace kindred::cli {
namespace {

constexpr const char* kSettingsFooter = R"(
Examples:
  kindred settings --db wiki.db
  kindred settings --db packages.db --config packages.toml --remember
  kindred settings --db packages.db --forget
Shows as TOML the settings that hold for the index where they are not the defaults: those of the
settings file, those that the index remembers, and those of its profile. An index that Kindred made
remembers what shapes it: prefixes, slots and analysis.)";

struct SettingsOptions {
  DatabaseOptions database;
  bool remember = false;
  bool forget = false;
};

int show_settings(const DatabaseOptions& options) {
  const Json result = AskedDatabase(options).answer("settings", Json::object());
  if (options.common.json) return kGood;
  const auto or_nothing = [](const std::string& text, const char* nothing) {
    return text.empty() ? nothing : shown(text);
  };
  std::cout << "# settings file: "
            << or_nothing(settings_file(options.common, options.database), "none")
            << "\n# remembered by the index: "
            << or_nothing(text_of(result["remembered"]), "nothing")
            << "\n# profile: " << text_of(result["profile"]) << '\n';
  std::istringstream lines(text_of(result["toml"]));
  for (std::string line; std::getline(lines, line);) std::cout << shown(line) << '\n';
  return kGood;
}

int run(const SettingsOptions& options) {
  const DatabaseOptions& database = options.database;
  if (!options.remember && !options.forget) return show_settings(database);
  const Settings settings = read_settings(database);
  if (options.remember) {
    const std::string place = remember_settings(database.database, settings);
    if (database.common.json) {
      print_json({{"remembered", place}});
    } else {
      std::cout << "remembered in " << shown(place) << '\n';
    }
    return kGood;
  }
  const Forgotten forgotten = forget_settings(database.database, settings);
  if (database.common.json) {
    print_json({{"forgotten", forgotten.settings}, {"analysis", forgotten.analysis}});
  } else if (forgotten.analysis) {
    std::cout << "forgotten, with the record of how its texts were analyzed\n";
  } else {
    std::cout << (forgotten.settings ? "forgotten" : "the index remembers nothing") << '\n';
  }
  return kGood;
}

}  // namespace

void add_settings(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("settings", "Show the settings of an index, or let it remember them");
  auto options = std::make_shared<SettingsOptions>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  CLI::Option* const remember = command.add_flag(
      "--remember", options->remember,
      "Let the index remember the prefixes, slots, fields, analysis and profile of the settings");
  command.add_flag("--forget", options->forget, "Let it forget what it remembers")
      ->excludes(remember);
  command.footer(kSettingsFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
