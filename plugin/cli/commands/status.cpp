// kindred status, settings, mirror: what an index has and is told.

#include <iostream>
#include <memory>
#include <sstream>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/store/remembered.h"

namespace kindred::cli {
namespace {

constexpr const char* kMirrorFooter = R"(
Examples:
  kindred mirror --db wiki.db
  kindred related --db wiki.db --id Moon
Saves the numbers that answers are computed from in wiki.db/kindred.mirror. Every program that opens
the index afterwards reads this folder, and of the index only the documents that have changed since.
Answers stay the same. 'kindred index', 'ingest' and 'tag' save it by themselves when they have
changed many documents (mirror.save). To do without it, remove the folder.)";

std::string megabytes(const Json& bytes) { return fixed(bytes.get<double>() / 1e6, 1) + " MB"; }

void print_saved(const Json& result, const QuestionCommand&) {
  std::cout << "saved the mirror of " << result["documents"] << " documents in "
            << shown(text_of(result["path"])) << ", " << megabytes(result["bytes"]) << '\n';
}

constexpr const char* kSettingsFooter = R"(
Examples:
  kindred settings --db wiki.db
  kindred settings --db packages.db --config packages.toml --remember
  kindred settings --db packages.db --forget
Shows as TOML the settings that hold for the index where they are not the defaults: those of the
settings file, those that the index remembers, and those of its profile. An index that Kindred made
remembers what shapes it: prefixes, slots and analysis.)";

struct SettingsCommand : QuestionCommand {
  bool remember = false;
  bool forget = false;
};

void print_settings(const Json& result, const QuestionCommand& command) {
  const DatabaseOptions& options = command.database;
  const auto or_nothing = [](const std::string& text, const char* nothing) {
    if (text.empty()) return std::string(nothing);
    return shown(text);
  };

  std::cout << "# settings file: "
            << or_nothing(settings_file(options.common, options.database), "none")
            << "\n# remembered by the index: "
            << or_nothing(text_of(result["remembered"]), "nothing")
            << "\n# profile: " << text_of(result["profile"]) << '\n';

  std::istringstream lines(text_of(result["toml"]));
  std::string line;
  while (std::getline(lines, line)) std::cout << shown(line) << '\n';
}

int run(const SettingsCommand& options) {
  const DatabaseOptions& database = options.database;
  if (!options.remember && !options.forget) return answer(options, print_settings);

  const Settings settings = read_settings(database);
  if (options.remember) {
    const std::string file = remember_settings(database.database, settings);
    if (database.common.json) {
      print_json({{"remembered", file}});
    } else {
      std::cout << "remembered in " << shown(file) << '\n';
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

constexpr const char* kStatusFooter = R"(
Examples:
  kindred status --db wiki.db
  kindred status --db ~/.mail/.notmuch/xapian --json
  kindred status --db other.db --guess >other.toml
Shows how many documents, terms and tags the database has, what computes the answers, how much
memory that takes, the tuning that tags follow ('kindred tune'), whose index it is, how texts are
analyzed, which Hunspell dictionaries there are for lemmas, and how many documents have terms under
which prefix.)";

void print_analysis_record(const Json& analysis) {
  const bool recorded = analysis["recorded"].get<bool>();
  Table table({"analysis", recorded ? "as the index records" : "not recorded"});
  for (const char* part : {"rules", "versions"})
    for (const auto& [key, value] : analysis[part].items()) table.add_row({key, text_of(value)});

  std::cout << '\n';
  table.print();

  const std::string others = text_of(analysis["other_versions"]);
  if (!others.empty()) std::cout << '\n' << shown(others) << '\n';
}

/// A list of objects as a table under an empty line, unless it is empty.
void print_objects(const Json& list, const std::vector<std::string>& headings) {
  if (list.empty()) return;

  Table table(headings);
  for (const Json& item : list) {
    std::vector<std::string> row;
    for (const Json& value : item) row.push_back(text_of(value));
    table.add_row(std::move(row));
  }

  std::cout << '\n';
  table.print();
}

void print_guess(const Json& guess) {
  const std::string settings = text_of(guess["settings"]);
  if (settings.empty() && guess["unknown"].empty()) std::cout << "# the defaults read this index\n";
  for (const Json& unknown : guess["unknown"])
    std::cout << "# not known: " << shown(text_of(unknown)) << '\n';
  std::cout << settings;
}

void print_status(const Json& result, const QuestionCommand& command) {
  if (result.contains("guess")) return print_guess(result["guess"]);

  // First what is one value each, in the order of the answer; tables follow below.
  Table table({"property", "value"});
  for (const auto& [key, value] : result.items()) {
    if (value == "" || value.is_structured() || value.is_null()) continue;
    if (key == "question" || key == "revision" || key == "seconds") continue;
    table.add_row({key, key.ends_with("bytes") ? megabytes(value) : text_of(value)});
  }

  if (result.contains("revision")) table.add_row({"revision", text_of(result["revision"])});
  for (const Json& shard : result.value("shards", Json::array()))
    table.add_row({"shard " + text_of(shard["uuid"]), "revision " + text_of(shard["revision"])});

  const std::string file = settings_file(command.database.common, command.database.database);
  if (!file.empty()) table.add_row({"settings", file});

  if (const Json& tuning = result["tuning"]; !tuning.is_null()) {
    const Json& scores = tuning["scores"];
    table.add_row({"tuned at", "revision " + text_of(tuning["revision"])});
    table.add_row({"tags by", method_text(tuning["method"])});
    table.add_row({"leave-one-out", "micro F1 " + fixed(scores["micro_f1"], 4) + ", macro F1 " +
                                        fixed(scores["macro_f1"], 4)});
  }

  table.print();
  print_objects(result["prefixes"], {"prefix", "terms", "documents"});
  print_analysis_record(result["analysis"]);
  print_objects(result["dictionaries"], {"dictionary", "files"});
}

}  // namespace

void add_mirror(CLI::App& program, Action& action) {
  add_question(program, action, "mirror", "save_mirror", "", print_saved,
               std::make_shared<QuestionCommand>())
      .footer(kMirrorFooter + 1);
}

void add_settings(CLI::App& program, Action& action) {
  auto options = std::make_shared<SettingsCommand>();
  CLI::App& command =
      add_question(program, action, "settings", "settings", "", print_settings, options);
  command.description("Show the settings of an index, or let it remember them");
  add_wait_option(command, options->database);

  CLI::Option* const remember = command.add_flag(
      "--remember", options->remember,
      "Let the index remember the prefixes, slots, fields, analysis and profile of the settings");
  command.add_flag("--forget", options->forget, "Let it forget what it remembers")
      ->excludes(remember);

  command.footer(kSettingsFooter + 1);
  set_action(command, action, options, run);
}

void add_status(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command = add_question(program, action, "status", "status", "", print_status, options);
  options->database.needs_labels = true;
  options->request["survey"] = true;
  add_keys(command, "status", options->request, {"guess"});
  command.footer(kStatusFooter + 1);
}

}  // namespace kindred::cli
