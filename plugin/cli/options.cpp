#include "plugin/cli/options.h"

#include <unistd.h>
#include <xapian.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "analyzer/analyzer.h"
#include "config/profiles.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/store/kept_files.h"

namespace kindred::cli {
namespace {

constexpr const char* kCommonGroup = "Common options";

/// Accepts a value that, set in the settings by `assign`, passes their checks.
template <typename Assign>
CLI::Validator setting(Assign assign) {
  return CLI::Validator(
      [assign](std::string& value) -> std::string {
        Settings settings;
        try {
          assign(settings, value);
          check_settings(settings);
        } catch (const Error& e) {
          return e.what();
        }
        return {};
      },
      "");
}

/// Takes the devices of --device. @throws Error kInvalidArgument if these are none.
void set_devices(const std::string& text, Settings& settings) {
  const auto devices = parse_device_list(text);
  if (!devices)
    throw Error(Errc::kInvalidArgument,
                "expected a number from 0, several such as 0,1, or all, found '" + text + "'");
  settings.backend.devices = *devices;
}

/// Accepts a value of the type T that `fits`; `expected` says which those are.
template <typename T, typename Fits>
CLI::Validator fitting(std::string expected, Fits fits) {
  return CLI::Validator(
      [fits, expected = std::move(expected)](std::string& value) -> std::string {
        T parsed{};
        const char* end = value.data() + value.size();
        const auto [stop, fault] = std::from_chars(value.data(), end, parsed);
        if (fault != std::errc() || stop != end || !fits(parsed)) {
          return "expected " + expected + ", found '" + value + "'";
        }
        if constexpr (std::is_integral_v<T>) value = std::to_string(parsed);  // CLI11: 010 is octal
        return {};
      },
      "");
}

/// "B (5210 terms in 300 documents), S (...)".
std::string listed_prefixes(const std::vector<PrefixCount>& prefixes) {
  std::string list;
  for (const PrefixCount& count : prefixes)
    list += (list.empty() ? "" : ", ") + count.prefix + " (" + std::to_string(count.terms) +
            " terms in " + std::to_string(count.documents) + " documents)";
  return list.empty() ? "no prefixes" : list;
}

/// `toml` in one line.
std::string in_one_line(std::string toml) {
  std::replace(toml.begin(), toml.end(), '\n', ' ');
  return toml;
}

/// Says why nothing is found in a database, if that is so.
void tell_nothing_found(const Engine& engine, const DatabaseOptions& options) {
  const Status status = engine.status();
  const bool has_no_terms = status.terms == 0;
  if (status.documents == 0 || (!has_no_terms && (!options.needs_labels || status.labeled > 0)))
    return;
  const Settings& settings = engine.settings();
  std::string expected = "labels under " + settings.labels.prefix + " (labels.prefix)";
  if (has_no_terms) {
    std::string under;
    for (const std::string& prefix : settings.mirror.term_prefixes)
      under += (under.empty() ? "" : " or ") + prefix;
    expected = "words under " + (under.empty() ? "Z, or without a prefix" : under) +
               " (mirror.term_prefixes)";
  }
  const std::vector<PrefixCount> prefixes = engine.prefixes();
  const bool has_values =
      !has_no_terms && std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& count) {
        return count.prefix == settings.labels.prefix;
      });
  const std::string found = has_values ? "only values of labels.system" : "none";
  const SettingsGuess guess = engine.guess_settings();
  std::string message = "kindred: " + options.database + ": expected " + expected + ", found " +
                        found + "; the index has " + listed_prefixes(prefixes);
  const bool is_read_so = guess.profile == settings.index.profile && guess.profile != "none";
  if (is_read_so) message += "; it is read as the profile " + guess.profile + " says";
  if (!guess.toml.empty() && !is_read_so)
    message += "; this would read it: " + in_one_line(guess.toml);
  for (const std::string& unknown : guess.unknown) message += "; not known: " + unknown;
  tell(message);
}

template <typename T>
CLI::Validator in_range(T low, T high, const std::string& kind) {
  std::ostringstream expected;
  expected << kind << " from " << low << " to " << high;
  return fitting<T>(expected.str(), [=](T value) { return value >= low && value <= high; });
}

}  // namespace

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return in_range(low, high, "a whole number");
}

CLI::Validator number(double low, double high) { return in_range(low, high, "a number"); }

CLI::Validator number_above(double low, double high) {
  std::ostringstream expected;
  expected << "a number above " << low << ", at most " << high;
  return fitting<double>(expected.str(),
                         [=](double value) { return value > low && value <= high; });
}

CLI::Validator not_empty(const std::string& what) {
  return CLI::Validator(
      [what](std::string& value) -> std::string {
        return value.empty() ? "expected " + what + ", found ''" : "";
      },
      "");
}

CLI::Validator language() {
  return CLI::Validator(
      [](std::string& value) -> std::string {
        try {
          Analyzer(AnalyzerSettings{}, value);
        } catch (const Error& e) {
          return e.what();
        }
        return {};
      },
      "");
}

CLI::Option* add_file_option(CLI::App& command, const std::string& name, std::string& path,
                             const std::string& what) {
  return command.add_option(name, path, what)->type_name("FILE")->check(not_empty("a file"));
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  add_file_option(command, "--config", options.config, "Settings file in TOML, over the defaults")
      ->group(kCommonGroup);
  command.add_flag("--json", options.json, "Print JSON, one object per line")->group(kCommonGroup);
}

void add_database_options(CLI::App& command, DatabaseOptions& options) {
  command
      .add_option("--db", options.database,
                  "Xapian database: a directory, single file or stub; it may be left out where "
                  "$KINDRED_DB names one, or this folder or one above has one named .kindred")
      ->type_name("DIR")
      ->required()
      ->check(not_empty("a database"));
  add_common_options(command, options.common);
  const Settings defaults;
  command
      .add_option("--profile", options.profile,
                  "Whose index it is: auto, none, " + listed_profiles() + "; default auto")
      ->type_name("NAME")
      ->check(setting([](Settings& s, const std::string& value) { s.index.profile = value; }))
      ->group(kCommonGroup);
  command
      .add_option("--weighting", options.weighting,
                  with_default("How terms weigh: three SMART letters", defaults.weighting.smart))
      ->type_name("SMART")
      ->check(setting([](Settings& s, const std::string& value) { s.weighting.smart = value; }))
      ->group(kCommonGroup);
  command
      .add_option("--backend", options.backend,
                  with_default("Where to compute: auto, cpu or cuda", defaults.backend.kind))
      ->type_name("KIND")
      ->check(setting([](Settings& s, const std::string& value) { s.backend.kind = value; }))
      ->group(kCommonGroup);
  command
      .add_option("--threads", options.threads,
                  with_default("CPU threads; 0: one per core", defaults.backend.threads))
      ->type_name("N")
      ->transform(whole_number(0, 1024))
      ->group(kCommonGroup);
  command
      .add_option("--device", options.device,
                  "CUDA device by its number from 0, several as 0,1, or all; default 0")
      ->type_name("LIST")
      ->check(setting([](Settings& s, const std::string& value) { set_devices(value, s); }))
      ->group(kCommonGroup);
  command.add_flag("--verbose", options.verbose, "Report on standard error what is done")
      ->group(kCommonGroup);
}

void add_wait_option(CLI::App& command, DatabaseOptions& options) {
  command
      .add_option("--wait", options.wait,
                  with_default("Seconds to wait where another writer has the database",
                               WriteSettings{}.wait))
      ->type_name("SECONDS")
      ->check(number(0, 1e6))
      ->group(kCommonGroup);
}

void add_progress_option(CLI::App& command, std::string& mode) {
  command
      .add_option("--progress", mode,
                  "Report progress on standard error; auto: if that is a terminal")
      ->type_name("WHEN")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

std::string settings_file(const CommonOptions& options, const std::string& database) {
  if (!options.config.empty()) return options.config;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string named = variable("KINDRED_CONFIG");
  if (!named.empty()) return named;
  std::vector<std::string> places;
  if (!database.empty()) places.push_back(index_file_path(database, "toml"));
  const std::string home = variable("HOME"), xdg = variable("XDG_CONFIG_HOME");
  if (!xdg.empty() || !home.empty())
    places.push_back((xdg.empty() ? home + "/.config" : xdg) + "/kindred/kindred.toml");
  places.emplace_back("/etc/kindred/kindred.toml");
  std::error_code ignored;
  const auto found = std::find_if(places.begin(), places.end(), [&](const std::string& place) {
    return std::filesystem::exists(place, ignored);
  });
  return found == places.end() ? "" : *found;
}

Settings read_settings(const CommonOptions& options) {
  const std::string file = settings_file(options, "");
  return file.empty() ? Settings{} : load_settings(file);
}

Settings read_settings(const DatabaseOptions& options) {
  const std::string file = settings_file(options.common, options.database);
  Settings settings = file.empty() ? Settings{} : load_settings(file);
  if (options.profile) settings.index.profile = *options.profile;
  if (options.weighting) settings.weighting.smart = *options.weighting;
  if (options.backend) settings.backend.kind = *options.backend;
  if (options.threads) settings.backend.threads = *options.threads;
  if (options.device) set_devices(*options.device, settings);
  if (options.wait) settings.write.wait = *options.wait;
  return settings;
}

Engine open_engine(const DatabaseOptions& options) {
  const Settings settings = read_settings(options);
  if (!options.verbose) {  // else the log has them
    for (const std::string& lost : lost_files_of(options.database, settings.index.directory))
      tell("kindred: " + lost);
  }
  return open_engine(options, settings);
}

Engine open_engine(const DatabaseOptions& options, const Settings& settings) {
  Progress progress("auto", "read", "postings");
  ReadingProgress on_reading;
  if (isatty(STDERR_FILENO) == 1)
    on_reading = [&](std::uint64_t read, std::uint64_t all) { progress.report_share(read, all); };
  Engine engine(options.database, settings, make_log(options.verbose), on_reading);
  tell_nothing_found(engine, options);
  return engine;
}

void save_mirror_after(std::uint64_t changed, const DatabaseOptions& options, Settings settings) {
  constexpr std::uint64_t kFew = 1000;    // documents for which it is not saved
  constexpr std::uint64_t kFewShare = 8;  // nor for fewer than 1 in so many
  if (settings.mirror.save != "auto" || changed <= kFew) return;
  const Log log = make_log(options.verbose);
  try {
    if (changed <= Xapian::Database(options.database).get_doccount() / kFewShare) return;
    settings.backend.kind = "cpu";  // which starts sooner
    Engine(options.database, settings, log).save_mirror();
  } catch (const Xapian::Error& e) {
    if (log) log("the mirror was not saved: " + e.get_description());
  } catch (const std::exception& e) {
    if (log) log(std::string("the mirror was not saved: ") + e.what());
  }
}

Log make_log(bool verbose) {
  if (!verbose) return {};
  return [](const std::string& message) { tell("kindred: " + message); };
}

}  // namespace kindred::cli
