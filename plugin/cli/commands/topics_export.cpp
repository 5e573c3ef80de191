// kindred topics export: the map as CSV.

#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/topics/map.h"

namespace kindred::cli {
namespace {

struct TopicsExportOptions {
  DatabaseOptions database;
  std::string out;
};

/// The shortest decimal that is read back as the same number.
template <typename Number>
std::string digits_of(Number value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string documents_csv(const TopicMap& map, const std::vector<PlacedDocument>& documents) {
  std::string csv = "docid,id,unit,row,column,topic,novelty\r\n";
  for (const PlacedDocument& document : documents) {
    const TopicPlacement& place = document.place;
    csv += digits_of(document.docid) + ',' + csv_field(document.id) + ',' + digits_of(place.unit) +
           ',' + digits_of(place.unit / map.origin.columns) + ',' +
           digits_of(place.unit % map.origin.columns) + ',' + digits_of(place.topic) + ',' +
           digits_of(place.novelty) + "\r\n";
  }
  return csv;
}

std::string units_csv(const TopicMap& map) {
  std::string csv = "unit,row,column,x,y,topic,documents,height,label,words\r\n";
  for (std::uint32_t u = 0; u < map.units.size(); ++u) {
    const TopicUnit& unit = map.units[u];
    std::string words;
    for (const std::uint32_t column : unit.columns)
      words += (words.empty() ? "" : " ") + map.words[column];
    csv += digits_of(u) + ',' + digits_of(u / map.origin.columns) + ',' +
           digits_of(u % map.origin.columns) + ',' + digits_of(unit.x) + ',' + digits_of(unit.y) +
           ',' + digits_of(unit.topic) + ',' + digits_of(unit.documents) + ',' +
           digits_of(unit.height) + ',' + csv_field(unit.label) + ',' + csv_field(words) + "\r\n";
  }
  return csv;
}

std::string topics_csv(const TopicMap& map) {
  std::string csv = "topic,name,documents,words\r\n";
  for (const Topic& topic : map.topics) {
    std::string words;
    for (const TopicTerm& term : topic.terms) words += (words.empty() ? "" : " ") + term.word;
    csv += digits_of(topic.number) + ',' + csv_field(topic.name) + ',' +
           digits_of(topic.documents) + ',' + csv_field(words) + "\r\n";
  }
  return csv;
}

int run(const TopicsExportOptions& options) {
  const Engine engine = open_engine(options.database);
  const auto map = engine.topic_map();
  const std::vector<PlacedDocument> documents = engine.topic_places();
  Json files = Json::array();
  const auto write = [&](const char* ending, const std::string& content) {
    write_output_file(options.out + ending, content);
    files.push_back(options.out + ending);
  };
  write(".documents.csv", documents_csv(*map, documents));
  write(".units.csv", units_csv(*map));
  write(".topics.csv", topics_csv(*map));
  if (options.database.common.json) print_json({{"files", std::move(files)}});
  return kGood;
}

}  // namespace

void add_topics_export(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("export", "Write the map as CSV files");
  auto options = std::make_shared<TopicsExportOptions>();
  add_database_options(command, options->database);
  command
      .add_option("--out", options->out,
                  "Where to write: PATH.documents.csv, PATH.units.csv and PATH.topics.csv")
      ->type_name("PATH")
      ->required()
      ->check(not_empty("a path"));
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
