// kindred topics: a map of the whole index with named topics. This file: show, of.

#include "plugin/answers/topics.h"

#include <iostream>
#include <memory>
#include <string>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

constexpr const char* kTopicsFooter = R"(
Examples:
  kindred topics train --db wiki.db                      make a map, kept beside the index
  kindred topics train --db wiki.db --rows 50 --columns 50 --epochs 20 --seed 1 --json
  kindred topics show --db wiki.db                       its topics: words and documents
  kindred topics of --db wiki.db --id apollo-11          where a document lies
  kindred topics assign --db wiki.db                     store topics in the index, to filter by
  kindred topics map --db wiki.db --html map.html --svg map.svg
  kindred topics export --db wiki.db --out wiki          CSV files)";

Json to_json(const Topic& topic) {
  Json terms = Json::array(), typical = Json::array();
  for (const TopicTerm& term : topic.terms)
    terms.push_back({{"term", term.term}, {"word", term.word}, {"score", term.score}});
  for (const TopicDocument& document : topic.typical) {
    typical.push_back({{"docid", document.docid},
                       {"id", document.id},
                       {"title", document.title},
                       {"similarity", document.similarity}});
  }
  return {{"topic", topic.number},        {"name", topic.name}, {"documents", topic.documents},
          {"neighbors", topic.neighbors}, {"terms", terms},     {"typical", typical}};
}

int show(const DatabaseOptions& options) {
  const auto map = open_engine(options).topic_map();
  if (options.common.json) {
    Json topics = Json::array();
    for (const Topic& topic : map->topics) topics.push_back(to_json(topic));
    Json json = summary_json(*map);
    json["topics"] = std::move(topics);
    json["revision"] = map->origin.revision;
    print_json(json);
    return kGood;
  }
  for (const Topic& topic : map->topics) {
    std::cout << topic.number << "  " << shown(topic.name) << "  (" << topic.documents
              << " documents)\n   ";
    for (const TopicTerm& term : topic.terms) std::cout << ' ' << shown(term.word);
    std::cout << '\n';
    for (std::size_t i = 0; i < topic.typical.size() && i < 3; ++i) {
      const TopicDocument& document = topic.typical[i];
      std::cout << "    " << fixed(document.similarity, 2) << "  " << shown(document.id) << "  "
                << shown(document.title) << '\n';
    }
  }
  return kGood;
}

struct OfOptions {
  DatabaseOptions database;
  ExampleOptions examples;
};

Json place_json(const TopicMap& map, const TopicPlacement& place) {
  if (place.topic == 0) {
    return {{"unit", nullptr},   {"row", nullptr},
            {"column", nullptr}, {"topic", nullptr},
            {"name", nullptr},   {"distance", nullptr},
            {"novelty", 1},      {"revision", place.revision}};
  }
  const Topic& topic = map.topics[place.topic - 1];
  return {{"unit", place.unit},
          {"row", place.unit / map.origin.columns},
          {"column", place.unit % map.origin.columns},
          {"topic", place.topic},
          {"name", topic.name},
          {"distance", place.distance},
          {"novelty", place.novelty},
          {"revision", place.revision}};
}

int of(const OfOptions& options) {
  const Engine engine = open_engine(options.database);
  const auto map = engine.topic_map();
  for (const Example& example : read_examples(options.examples)) {
    const TopicPlacement place = engine.topic_of(example);
    if (options.database.common.json) {
      print_json(place_json(*map, place));
      continue;
    }
    if (place.topic == 0) {
      std::cout << "no topic: none of its terms is on the map\n";
      continue;
    }
    std::cout << "topic " << place.topic << ", " << shown(map->topics[place.topic - 1].name)
              << ": unit " << place.unit << " (row " << place.unit / map->origin.columns
              << ", column " << place.unit % map->origin.columns << "), novelty "
              << fixed(place.novelty, 3) << '\n';
  }
  return kGood;
}

void add_topics_show(CLI::App& topics, Action& action) {
  CLI::App& command =
      *topics.add_subcommand("show", "Show the topics of the map: words and typical documents");
  auto options = std::make_shared<DatabaseOptions>();
  add_database_options(command, *options);
  command.callback([options, &action] { action = [options] { return show(*options); }; });
}

void add_of(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("of", "Show where documents or texts lie on the map");
  auto options = std::make_shared<OfOptions>();
  add_database_options(command, options->database);
  add_example_options(command, options->examples);
  command.callback([options, &action] {
    if (count_examples(options->examples) == 0)
      throw CLI::ValidationError("expected --id, --docid, --text or --text-file");
    action = [options] { return of(*options); };
  });
}

}  // namespace

void add_topics(CLI::App& program, Action& action) {
  CLI::App& topics =
      *program.add_subcommand("topics", "Make a map of the index with named topics, and use it");
  topics.require_subcommand(1);
  topics.footer(kTopicsFooter + 1);
  add_topics_train(topics, action);
  add_topics_show(topics, action);
  add_of(topics, action);
  add_topics_assign(topics, action);
  add_topics_map(topics, action);
  add_topics_export(topics, action);
}

}  // namespace kindred::cli
