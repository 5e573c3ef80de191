// kindred topics: a map of the whole index with named topics. This file: train, show, of.

#include "plugin/topics.h"

#include <iostream>
#include <memory>
#include <string>

#include "plugin/cli/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/json_output.h"
#include "plugin/cli/options.h"
#include "plugin/cli/table.h"
#include "plugin/cli/topics_commands.h"

namespace kindred::cli {
namespace {

constexpr const char* kFooter = R"(
Examples:
  kindred topics train --db wiki.db                      make a map, kept beside the index
  kindred topics train --db wiki.db --rows 50 --columns 50 --epochs 20 --seed 1 --json
  kindred topics show --db wiki.db                       its topics: words and documents
  kindred topics of --db wiki.db --id apollo-11          where a document lies
  kindred topics map --db wiki.db --html map.html --svg map.svg --png map.png
  kindred topics export --db wiki.db --out wiki          CSV and ESOM files)";

struct TrainOptions {
  DatabaseOptions database;
  TopicsRequest request;
  bool quiet = false;
};

bool print_epoch(const TopicsEpoch& epoch) {
  std::cerr << "epoch " + std::to_string(epoch.epoch) + " of " + std::to_string(epoch.epochs) +
                   ": sigma " + fixed(epoch.sigma, 2) + ", quantization error " +
                   fixed(epoch.quantization_error, 4) + ", topographic error " +
                   fixed(epoch.topographic_error, 4) + ", " + std::to_string(epoch.moved) +
                   " documents moved\n";
  return true;
}

Json summary(const TopicMap& map) {
  Json json = {{"units", map.units.size()},
               {"documents", map.origin.documents},
               {"epochs", map.origin.epochs},
               {"quantization_error", map.quantization_error},
               {"topographic_error", map.topographic_error},
               {"topics", map.topics.size()},
               {"seconds", map.origin.seconds}};
  if (map.agreement.documents > 0) {
    json["agreement"] = {{"documents", map.agreement.documents},
                         {"unit_purity", map.agreement.unit_purity},
                         {"unit_nmi", map.agreement.unit_mutual_information},
                         {"topic_purity", map.agreement.topic_purity},
                         {"topic_nmi", map.agreement.topic_mutual_information}};
  }
  return json;
}

int train(const TrainOptions& options) {
  Engine engine = open_engine(options.database);
  const auto map =
      engine.train_topics(options.request, options.quiet ? TopicsProgress{} : print_epoch);
  if (options.database.common.json) {
    print_json(summary(*map));
    return kGood;
  }
  std::cout << map->origin.documents << " documents on " << map->units.size() << " units, "
            << map->topics.size() << " topics, in " << fixed(map->origin.seconds, 1)
            << " s; quantization error " << fixed(map->quantization_error, 4)
            << ", topographic error " << fixed(map->topographic_error, 4) << '\n';
  return kGood;
}

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
    Json json = summary(*map);
    json["topics"] = std::move(topics);
    json["revision"] = map->origin.revision;
    print_json(json);
    return kGood;
  }
  for (const Topic& topic : map->topics) {
    std::cout << topic.number << "  " << printable(topic.name) << "  (" << topic.documents
              << " documents)\n   ";
    for (const TopicTerm& term : topic.terms) std::cout << ' ' << printable(term.word);
    std::cout << '\n';
    for (std::size_t i = 0; i < topic.typical.size() && i < 3; ++i) {
      const TopicDocument& document = topic.typical[i];
      std::cout << "    " << fixed(document.similarity, 2) << "  " << printable(document.id) << "  "
                << printable(document.title) << '\n';
    }
  }
  return kGood;
}

struct OfOptions {
  DatabaseOptions database;
  ExampleOptions examples;
};

Json place_json(const TopicMap& map, const TopicPlacement& place) {
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
    std::cout << "topic " << place.topic << ", " << printable(map->topics[place.topic - 1].name)
              << ": unit " << place.unit << " (row " << place.unit / map->origin.columns
              << ", column " << place.unit % map->origin.columns << "), novelty "
              << fixed(place.novelty, 3) << '\n';
  }
  return kGood;
}

void add_train(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("train", "Make a map of the index");
  auto options = std::make_shared<TrainOptions>();
  TopicsRequest& request = options->request;
  add_database_options(command, options->database);
  const auto count = [&](const char* name, auto& value, const char* what, std::int64_t low,
                         std::int64_t high) {
    command.add_option(name, value, what)->type_name("N")->check(whole_number(low, high));
  };
  count("--rows", request.rows, "Rows of the map", 1, 1000);
  count("--columns", request.columns, "Columns of the map", 1, 1000);
  count("--epochs", request.epochs, "Passes over the documents", 1, 1000000);
  count("--seed", request.seed, "The same seed gives the same map", 0, INT64_MAX);
  count("--topics", request.count, "Topics to make of the units; 0 finds a number", 0, 1000000);
  command.add_option("--lattice", request.lattice, "hexagonal or rectangular")
      ->check(CLI::IsMember({"hexagonal", "rectangular"}));
  command.add_flag("--toroidal", request.toroidal, "Join opposite edges");
  command.add_option("--start", request.start, "Where units begin: plane, documents or uniform")
      ->capture_default_str()
      ->check(CLI::IsMember({"plane", "documents", "uniform"}));
  command
      .add_option("--sigma-start", request.sigma_start, "First radius; 0: half the shorter side")
      ->check(number(0, 1000));
  command.add_option("--sigma-end", request.sigma_end, "Last radius")
      ->capture_default_str()
      ->check(number(0.01, 1000));
  command.add_flag("--linear", request.linear, "Let the radius fall linearly");
  command.add_flag("--cut", request.cut, "End the neighborhood at the radius");
  command.add_flag("--resume", request.resume, "Go on from the map that is there");
  command.add_flag("--quiet", options->quiet, "Say nothing of the epochs");
  command.callback([options, &action] { action = [options] { return train(*options); }; });
}

void add_show(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("show", "Show the topics of the map");
  auto options = std::make_shared<DatabaseOptions>();
  add_database_options(command, *options);
  command.callback([options, &action] { action = [options] { return show(*options); }; });
}

void add_of(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("of", "Show where documents or texts lie");
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

void add_topics(CLI::App& app, Action& action) {
  CLI::App& topics =
      *app.add_subcommand("topics", "Make a map of the index with named topics, and ask it");
  topics.require_subcommand(1);
  topics.footer(kFooter + 1);
  add_train(topics, action);
  add_show(topics, action);
  add_of(topics, action);
  add_topics_map(topics, action);
  add_topics_export(topics, action);
}

}  // namespace kindred::cli
