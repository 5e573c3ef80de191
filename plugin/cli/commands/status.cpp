// kindred status: counts of a database, where answers are computed, and how it is tuned.

#include <iostream>
#include <memory>

#include "analyzer/lemmas/dictionary_files.h"
#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/evaluation_output.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/votes/tuning/tuning_json.h"

namespace kindred::cli {
namespace {

constexpr const char* kStatusFooter = R"(
Examples:
  kindred status --db wiki.db
  kindred status --db ~/.mail/.notmuch/xapian --json
  kindred status --db other.db --guess >other.toml
Shows how many documents, terms and tags the database has, what computes the answers, how much
memory that takes, the tuning that tags follow ('kindred tune'), whose index it is, how texts are
analyzed, which Hunspell dictionaries there are for lemmas, and how many documents have terms under
which prefix.)";

Json status_json(const Status& status, const std::vector<PrefixCount>& prefixes,
                 const std::vector<DictionaryFiles>& dictionaries,
                 const std::string& settings_file) {
  Json json = {{"documents", status.documents},
               {"terms", status.terms},
               {"nonzeros", status.nonzeros},
               {"labels", status.labels},
               {"revision", status.revision},
               {"uuid", status.uuid},
               {"backend", status.backend},
               {"device", status.device},
               {"bytes", status.bytes},
               {"labeled", status.labeled},
               {"compute_capability", status.compute_capability},
               {"device_bytes", status.device_bytes},
               {"tagged", status.tagged},
               {"pending", status.pending},
               {"opted_out", status.opted_out},
               {"rejected", status.rejected},
               {"tuning", status.tuning ? tuning_json(*status.tuning) : Json()},
               {"profile", status.profile},
               {"prefixes", Json::array()}};
  json["settings"] = settings_file;
  json["remembered"] = status.remembered;
  json["analysis"] = {{"recorded", status.analysis_recorded},
                      {"rules", status.analysis.rules},
                      {"versions", status.analysis.versions},
                      {"other_versions", status.other_versions}};
  json["dictionaries"] = Json::array();
  for (const DictionaryFiles& files : dictionaries)
    json["dictionaries"].push_back({{"name", files.name}, {"path", files.path}});
  for (const PrefixCount& count : prefixes) {
    json["prefixes"].push_back(
        {{"prefix", count.prefix}, {"terms", count.terms}, {"documents", count.documents}});
  }
  return with_shards(std::move(json), status.shards);
}

void print_prefixes(const std::vector<PrefixCount>& prefixes) {
  if (prefixes.empty()) return;
  Table table({"prefix", "terms", "documents"});
  for (const PrefixCount& count : prefixes)
    table.add_row({count.prefix, std::to_string(count.terms), std::to_string(count.documents)});
  std::cout << '\n';
  table.print();
}

void print_analysis(const Status& status) {
  Table table({"analysis", status.analysis_recorded ? "as the index records" : "not recorded"});
  for (const auto& [key, value] : status.analysis.rules) table.add_row({key, value});
  for (const auto& [name, version] : status.analysis.versions) table.add_row({name, version});
  std::cout << '\n';
  table.print();
  if (!status.other_versions.empty()) std::cout << '\n' << shown(status.other_versions) << '\n';
}

void print_dictionaries(const std::vector<DictionaryFiles>& dictionaries) {
  if (dictionaries.empty()) return;
  Table table({"dictionary", "files"});
  for (const DictionaryFiles& files : dictionaries)
    table.add_row({files.name, files.path + ".aff, .dic"});
  std::cout << '\n';
  table.print();
}

struct StatusOptions {
  DatabaseOptions database;
  bool guess = false;
};

int run_guess(const StatusOptions& options) {
  const SettingsGuess guess = open_engine(options.database).guess_settings();
  if (options.database.common.json) {
    print_json({{"profile", guess.profile}, {"settings", guess.toml}, {"unknown", guess.unknown}});
    return kGood;
  }
  if (guess.toml.empty() && guess.unknown.empty()) std::cout << "# the defaults read this index\n";
  for (const std::string& unknown : guess.unknown)
    std::cout << "# not known: " << shown(unknown) << '\n';
  std::cout << guess.toml;
  return kGood;
}

int run(const DatabaseOptions& options) {
  const Engine engine = open_engine(options);
  const Status status = engine.status();
  const std::vector<PrefixCount> prefixes = engine.prefixes();
  const std::vector<DictionaryFiles> dictionaries = installed_dictionaries();
  const Json json =
      status_json(status, prefixes, dictionaries, settings_file(options.common, options.database));
  if (options.common.json) {
    print_json(json);
    return kGood;
  }
  Table table({"property", "value"});
  for (const auto& [key, value] : json.items()) {
    if (value == "" || value.is_structured() || key == "tuning") continue;
    table.add_row({key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  if (status.shards)
    for (const ShardRevision& shard : *status.shards)
      table.add_row({"shard " + shard.uuid, "revision " + std::to_string(shard.revision)});
  if (status.tuning) {
    const TuningScores& scores = status.tuning->scores;
    table.add_row({"tuned at", "revision " + std::to_string(status.tuning->revision)});
    table.add_row({"tags by", method_text(*status.tuning)});
    table.add_row({"leave-one-out", "micro F1 " + fixed(scores.micro_f1, 4) + ", macro F1 " +
                                        fixed(scores.macro_f1, 4)});
  }
  table.print();
  print_analysis(status);
  print_dictionaries(dictionaries);
  print_prefixes(prefixes);
  return kGood;
}

}  // namespace

void add_status(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("status", "Show what a database holds");
  auto options = std::make_shared<StatusOptions>();
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  command.add_flag("--guess", options->guess,
                   "Show which settings would read the database, as a settings file");
  command.footer(kStatusFooter + 1);
  command.callback([options, &action] {
    action = [options] { return options->guess ? run_guess(*options) : run(options->database); };
  });
}

}  // namespace kindred::cli
