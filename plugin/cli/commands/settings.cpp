// kindred settings: the settings that hold for an index, and those that it remembers.

#include <algorithm>
#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/store/remembered.h"
#include "plugin/store/settled_settings.h"

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
  const Settings settings = settled_settings(options.database, read_settings(options));
  const std::string file = settings_file(options.common, options.database);
  const std::string text = settings_toml(settings, keys_set(settings));
  if (options.common.json) {
    print_json({{"file", file},
                {"remembered", settings.remembered},
                {"profile", settings.index.profile},
                {"settings", text}});
    return kGood;
  }
  std::cout << "# settings file: " << (file.empty() ? "none" : shown(file))
            << "\n# remembered by the index: "
            << (settings.remembered.empty() ? "nothing" : shown(settings.remembered))
            << "\n# profile: " << settings.index.profile << '\n';
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    std::cout << shown(text.substr(begin, end - begin)) << '\n';
    begin = end + 1;
  }
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
