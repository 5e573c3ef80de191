#include "plugin/cli/options.h"

#include <unistd.h>
#include <xapian.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>

#include "analyzer/analyzer.h"
#include "config/profiles.h"
#include "config/shown.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/mirror/mirror_file.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"

namespace kindred::cli {
namespace {

constexpr const char* kCommonGroup = "Common options";

using Assign = void (*)(Settings& settings, const std::string& value);

/// Accepts a value for which `check` throws no Error.
CLI::Validator passing(std::function<void(const std::string&)> check) {
  const auto fault_of = [check = std::move(check)](std::string& value) -> std::string {
    try {
      check(value);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  return {fault_of, ""};
}

/// Adds an option that overrides a setting.
void add_setting(CLI::App& command, DatabaseOptions& options, const char* name, const char* type,
                 // The settings are not read yet, so what the option says is kept for then.
                 const std::string& description, Assign assign, const CLI::Validator& check) {
  const auto set = [&options, assign](const std::string& value) {
    options.given.push_back([assign, value](Settings& settings) {
      assign(settings, value);
    });
  };

  command.add_option_function<std::string>(name, set, description)
      ->type_name(type)
      ->transform(check)
      ->group(kCommonGroup);
}

/// Does what "KEY=VALUE" says: a key with a point is a setting, others are of the question.
/// @throws Error kInvalidArgument.
void set_given(DatabaseOptions& options, const std::vector<std::string>& given) {
  // The values are tried on settings of their own, so that a wrong one is an error of the command
  // line.
  Settings trial;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    if (equals == each.npos)
      throw Error(Errc::kInvalidArgument, "expected KEY=VALUE, found '" + each + "'");
    const std::string key = each.substr(0, equals);
    const std::string value = each.substr(equals + 1);

    set_value(trial, key, value);
    options.given.push_back([key, value](Settings& settings) {
      set_value(settings, key, value);
    });
  }

  check_settings(trial);
}

/// "B (5210 terms in 300 documents), S (...)": of many the ones that most documents have.
std::string listed_prefixes(std::vector<PrefixCount> prefixes) {
  constexpr std::size_t kShown = 12;
  const std::size_t others = prefixes.size() - std::min(prefixes.size(), kShown);
  if (others > 0) std::ranges::stable_sort(prefixes, std::greater(), &PrefixCount::documents);
  prefixes.resize(prefixes.size() - others);

  std::string list;
  for (const PrefixCount& count : prefixes) {
    append_item(list, count.prefix + " (" + std::to_string(count.terms) + " terms in " +
                          std::to_string(count.documents) + " documents)");
  }
  if (others > 0) list += " and " + std::to_string(others) + " others ('kindred status' has all)";
  if (list.empty()) return "no prefixes";
  return list;
}

/// Says why nothing is found in a database, if that is so.
void tell_nothing_found(const Engine& engine, const DatabaseOptions& options) {
  const api::StatusAnswer status = engine.status();
  // Words that are read by mistake are few, such as those that begin with Z in place of stems.
  const bool has_no_terms = status.nonzeros < status.documents;
  if (status.documents == 0 || (!has_no_terms && (!options.needs_labels || status.labeled > 0)))
    return;

  if (!has_no_terms && options.suggests && status.vocabulary_terms > 0) {
    tell(
        "kindred: " + options.database +
        ": no document has a label, so nothing was learned: tags are suggested by the names of the "
        "vocabulary alone");
    return;
  }

  // Where the index is known to be read right, its documents have no labels yet.
  const Settings& settings = engine.settings();
  const std::vector<PrefixCount> prefixes = engine.prefixes();
  const SettingsGuess guess = engine.guess_settings(prefixes);
  const bool is_read_so = guess.profile == settings.index.profile && guess.profile != "none";
  if (is_read_so && !has_no_terms) {
    std::string where = "a term under " + settings.labels.prefix;
    if (settings.labels.shards != "off")
      where = "labels are databases: name the folder that has several, or a pattern";
    tell("kindred: " + options.database + ": no document has a label to learn from (" + where +
         "); it is read as the profile " + guess.profile + " says");
    return;
  }

  // What was expected: the words that documents are compared by, or the labels that commands need.
  std::string expected = "labels under " + settings.labels.prefix + " (labels.prefix)";
  if (has_no_terms) {
    std::string under;
    for (const std::string& prefix : settings.mirror.term_prefixes)
      append_item(under, prefix, " or ");
    if (under.empty()) under = "Z, or without a prefix";
    expected = "words under " + under + " (mirror.term_prefixes)";
  }

  // What is there instead. A prefix may have terms of which none counts as a label.
  const bool has_values =
      !has_no_terms &&
      std::ranges::find(prefixes, settings.labels.prefix, &PrefixCount::prefix) != prefixes.end();
  std::string found = has_values ? "only values of labels.system" : "none";
  if (has_no_terms && status.terms > 0)
    found =
        std::to_string(status.nonzeros) + " in " + std::to_string(status.documents) + " documents";

  // Which settings would read it: the index may be another program's.
  std::string message = "kindred: " + options.database + ": expected " + expected + ", found " +
                        found + "; the index has " + listed_prefixes(prefixes);
  if (is_read_so) message += "; it is read as the profile " + guess.profile + " says";

  std::string toml = guess.settings;
  std::ranges::replace(toml, '\n', ' ');
  if (!toml.empty() && !is_read_so) message += "; this would read it: " + toml;
  for (const std::string& unknown : guess.unknown) message += "; not known: " + unknown;

  tell(message);
}

}  // namespace

Json number_in(const std::string& text, Shape::Type type) {
  std::int64_t whole = 0;
  double number = 0;
  const char* const end = text.data() + text.size();

  const auto read = [&](auto& value) -> Json {
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    if (fault == std::errc() && stop == end) return Json(value);
    return Json();
  };

  if (type == Shape::Type::kWhole) return read(whole);
  return read(number);
}

CLI::Validator fitting(const Shape& shape) {
  return CLI::Validator(
      [shape](std::string& text) -> std::string {
        // The shape of the question says what fits, so that the command line and the question
        // agree.
        const Json value = number_in(text, shape.type);
        try {
          understood(shape, value, "");
        } catch (const Error&) {
          return "expected " + expected(shape) + ", found '" + text + "'";
        }

        if (shape.type == Shape::Type::kWhole) text = value.dump();  // CLI11: 010 is octal
        return {};
      },
      "");
}

CLI::Validator in_range(Shape::Type type, std::int64_t low, std::int64_t high) {
  Shape shape;
  shape.type = type;
  shape.low = low;
  shape.high = high;
  return fitting(shape);
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string choices = "{" + CLI::detail::join(words) + "}";  // see value_of()

  const auto check = [words = std::move(words)](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return "expected one of " + CLI::detail::join(words, ", ") + ", found '" + text + "'";
  };
  return {check, choices};
}

CLI::Validator not_empty(const std::string& what) {
  return passing([what](const std::string& value) {
    if (value.empty()) throw Error(Errc::kInvalidArgument, "expected " + what + ", found ''");
  });
}

CLI::Validator language() {
  return passing([](const std::string& value) {
    Analyzer(AnalyzerSettings{}, value);
  });
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
                  "Xapian database: a directory, single file or stub; default: the one that "
                  "$KINDRED_DB names, else .kindred in this folder or the nearest one above")
      ->type_name("DIR")
      ->required()
      ->check(not_empty("a database"));

  add_common_options(command, options.common);

  // Options for a few settings that are used often. Each is checked as the settings file is.
  const auto add = [&](const char* name, const char* type, const std::string& text, Assign assign) {
    const auto check = [assign](const std::string& value) {
      Settings settings;
      assign(settings, value);
      check_settings(settings);
    };
    add_setting(command, options, name, type, text, assign, passing(check));
  };

  const Settings defaults;
  add("--profile", "NAME", "Whose index it is: auto, none, " + listed_profiles() + "; default auto",
      [](Settings& s, const std::string& value) {
        s.index.profile = value;
      });
  add("--backend", "KIND",
      with_default("Where to compute: auto, cpu or cuda", defaults.backend.kind),
      [](Settings& s, const std::string& value) {
        s.backend.kind = value;
      });
  add_setting(
      command, options, "--threads", "N",
      with_default("CPU threads; 0: one per core", defaults.backend.threads),
      [](Settings& s, const std::string& value) {
        s.backend.threads = std::stoll(value);
      },
      in_range(Shape::Type::kWhole, 0, 1024));

  const auto set = [&options](const std::vector<std::string>& given) {
    try {
      set_given(options, given);
    } catch (const Error& e) {
      throw CLI::ValidationError("--set", e.what());
    }
  };
  command
      .add_option_function<std::vector<std::string>>("--set", set,
                                                     "A setting, such as weighting.smart=ntc")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(kCommonGroup);

  command.add_flag("--verbose", options.verbose, "Report on standard error what is done")
      ->group(kCommonGroup);
}

void add_wait_option(CLI::App& command, DatabaseOptions& options) {
  add_setting(
      command, options, "--wait", "SECONDS",
      with_default("Seconds to wait where another writer has the database", WriteSettings{}.wait),
      [](Settings& s, const std::string& value) {
        s.write.wait = std::stod(value);
      },
      in_range(Shape::Type::kNumber, 0, 1000000));
}

void add_progress_option(CLI::App& command, std::string& mode) {
  command
      .add_option("--progress", mode,
                  "Report progress on standard error; auto: if that is a terminal")
      ->type_name("WHEN")
      ->capture_default_str()
      ->check(one_of({"auto", "always", "never"}));
}

std::string settings_file(const CommonOptions& options, const std::string& database) {
  // What is named wins over what is found.
  if (!options.config.empty()) return options.config;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::string();
    return std::string(value);
  };
  std::string named = variable("KINDRED_CONFIG");
  if (!named.empty()) return named;

  // The index's own file goes before that of the user, and that before the machine's.
  std::vector<std::string> paths;
  if (!database.empty()) {
    paths.push_back(index_file_path(database, "toml"));
    index_file(paths.back()).check();
  }

  const std::string home = variable("HOME");
  const std::string xdg = variable("XDG_CONFIG_HOME");
  const std::string folder = xdg.empty() && !home.empty() ? home + "/.config" : xdg;
  if (!folder.empty()) paths.push_back(folder + "/kindred/kindred.toml");
  paths.emplace_back("/etc/kindred/kindred.toml");

  std::error_code ignored;
  const auto found = std::ranges::find_if(paths, [&](const auto& path) {
    return std::filesystem::exists(path, ignored);
  });
  if (found == paths.end()) return "";
  return *found;
}

Settings read_settings(const CommonOptions& options, const std::string& database) {
  const std::string file = settings_file(options, database);
  if (file.empty()) return Settings{};
  return load_settings(file);
}

Settings read_settings(const DatabaseOptions& options) {
  Settings settings = read_settings(options.common, options.database);
  for (const auto& set : options.given) set(settings);
  return settings;
}

Engine open_engine(const DatabaseOptions& options) {
  const Settings settings = read_settings(options);
  if (!options.verbose && !options.renews_files) {  // --verbose: the log has them
    for (const std::string& lost : lost_files_of(options.database, settings.index.directory))
      tell("kindred: " + lost);
  }

  // To read a large index takes a while, and nothing is printed meanwhile.
  Progress progress("auto", "read", "postings");
  ReadingProgress on_reading;
  if (isatty(STDERR_FILENO) == 1)
    on_reading = [&](std::uint64_t read, std::uint64_t all) {
      progress.report_share(read, all);
    };

  Engine engine(options.database, settings, make_log(options.verbose), on_reading);
  tell_nothing_found(engine, options);
  std::string why;
  if (options.needs_labels) why = engine.tuning_unused();
  if (!why.empty()) tell("kindred: " + options.database + ": the tuning is " + why);
  return engine;
}

void save_mirror_after(std::uint64_t changed, const DatabaseOptions& options, Settings settings) {
  if (settings.mirror.save != "auto") return;

  // The command has done what it was asked for, so its status does not depend on this.
  const Log log = make_log(options.verbose);
  try {
    if (!pays_to_save(changed, Xapian::Database(options.database).get_doccount())) return;
    settings.backend.kind = "cpu";  // which starts sooner
    Engine(options.database, settings, log).save_mirror();
  } catch (...) {
    if (log) log("the mirror was not saved: " + reason_in_flight());
  }
}

Log make_log(bool verbose) {
  if (!verbose) return {};
  return [](const std::string& message) {
    tell("kindred: " + message);
  };
}

}  // namespace kindred::cli
