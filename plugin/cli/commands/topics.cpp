// kindred topics: a map of the whole index with named topics.

#include <initializer_list>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/job.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/cli/question.h"
#include "plugin/reading.h"
#include "plugin/topics/topic_map.h"

namespace kindred::cli {
namespace {

void print_assignment(const Json& result, const QuestionCommand&) {
  const auto count = [&](const char* key) {
    return result[key].get<std::uint64_t>();
  };
  std::cout << "placed " << count("examined") << " of " << count("matched")
            << " documents: " << count("written") << " got a new place, "
            << count("examined") - count("written") - count("gone") << " stayed as they were\n";
}

/// All processes of a job train. The first one does the rest.
int train(const QuestionCommand& command) {
  // All processes have the same command line. Only the first one speaks, or each line would come
  // several times.
  const std::unique_ptr<SomExchange> others = join_job();
  const bool is_first = others == nullptr || others->rank() == 0;
  AskedDatabase database(command.database, is_first ? command.progress : "never", "placed");
  database.set_others(others.get());

  const Json result = database.ask("train_topics", command.request);
  if (!is_first) return kGood;

  const Json& map = result["map"];
  if (command.has_json()) {
    print_json(result);
  } else {
    std::cout << map["documents"] << " documents on " << map["units"] << " units, "
              << result["topics"] << " topics, in " << fixed(map["training_seconds"], 1)
              << " s; quantization error " << fixed(map["quantization_error"], 4)
              << ", topographic error " << fixed(map["topographic_error"], 4)
              << "\n'kindred topics assign' stores the topics of documents, to filter by\n";
  }
  return kGood;
}

void add_topics_train(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("train", find_question("train_topics").meaning);

  auto options = std::make_shared<QuestionCommand>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  add_keys(command, "train_topics", options->request, {"rows", "columns", "topics", "resume"});
  add_keys(command, "train_topics", options->request,
           {"epochs", "seed", "lattice", "toroidal", "start"}, "The training");
  add_progress_option(command, options->progress);

  // A map that is trained further has its shape, and the seed that it began with.
  command.callback([options, &action] {
    const Json& request = options->request;
    for (const char* own : {"rows", "columns", "lattice", "toroidal", "seed", "start"})
      if (request.contains("resume") && request.contains(own))
        throw CLI::ValidationError("expected --resume without --" + std::string(own));
    action = [options] {
      return train(*options);
    };
  });
}

void add_topics_assign(CLI::App& topics, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command =
      add_question(topics, action, "assign", "assign_topics", "placed", print_assignment, options);
  add_wait_option(command, options->database);
  add_keys(command, "assign_topics", options->request, {"restart"});
  add_progress_option(command, options->progress);
}

struct MapOptions {
  DatabaseOptions database;
  std::string html;
  std::string svg;
  std::string color = "heights";
};

int run(const MapOptions& options) {
  // The units name their documents by docid; the page shows their titles.
  const Engine engine = open_engine(options.database);
  const Reading reading(engine);
  TopicMap map = *reading.topic_map();
  const std::vector<std::string> languages = reader_languages();
  for (TopicUnit& unit : map.units) {
    unit.typical = reading.describe(std::move(unit.typical));
    const std::string name = engine.label_name(unit.label, languages);
    if (!name.empty()) unit.label = name;
  }

  const ColoredMap colored = color_map(map, options.color);
  Json files = Json::array();
  const auto write = [&](const std::string& path, const auto& draw) {
    if (path.empty()) return;
    write_output_file(path, draw());
    files.push_back(path);
  };

  write(options.html, [&] {
    return draw_html(map);
  });
  write(options.svg, [&] {
    return draw_svg(map, colored);
  });
  if (options.database.common.json) print_json({{"files", std::move(files)}});
  return kGood;
}

void add_topics_map(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("map", "Draw the map as HTML or SVG");

  auto options = std::make_shared<MapOptions>();
  add_database_options(command, options->database);
  add_file_option(command, "--html", options->html, "Write an interactive page to this file");
  add_file_option(command, "--svg", options->svg,
                  "Write a drawing with the names of topics to this file");
  command

      .add_option("--color", options->color,
                  "What the colors of --svg show: heights (distances to the units\n"
                  "around), documents, topics, labels, or the weights of a term")
      ->type_name("WHAT")
      ->capture_default_str();

  command.callback([options, &action] {
    if (options->html.empty() && options->svg.empty())
      throw CLI::ValidationError("expected --html or --svg");
    action = [options] {
      return run(*options);
    };
  });
}

struct TopicsExportOptions {
  DatabaseOptions database;
  std::string out;
};

std::string csv_line(std::initializer_list<Json> cells) {
  std::string line;
  for (const Json& cell : cells) {
    append_item(line, cell.is_string() ? csv_field(text_of(cell)) : cell.dump(), ",");
  }
  return line + "\r\n";
}

std::string documents_csv(const TopicMap& map, const std::vector<PlacedDocument>& documents) {
  std::string csv = "docid,id,unit,row,column,topic,novelty\r\n";
  for (const PlacedDocument& document : documents) {
    const TopicPlacement& placement = document.place;
    csv +=
        csv_line({document.docid, document.id, placement.unit, placement.unit / map.origin.columns,
                  placement.unit % map.origin.columns, placement.topic, placement.novelty});
  }
  return csv;
}

std::string units_csv(const TopicMap& map, const Engine& engine) {
  const std::vector<std::string> languages = reader_languages();
  std::string csv = "unit,row,column,x,y,topic,documents,height,label,words,label_name\r\n";
  for (std::uint32_t u = 0; u < map.units.size(); ++u) {
    const TopicUnit& unit = map.units[u];
    std::string words;
    for (const std::uint32_t column : unit.columns) append_item(words, map.words[column], " ");
    csv += csv_line({u, u / map.origin.columns, u % map.origin.columns, unit.x, unit.y, unit.topic,
                     unit.documents, shortest(unit.height), unit.label, words,
                     engine.label_name(unit.label, languages)});
  }
  return csv;
}

std::string topics_csv(const TopicMap& map) {
  std::string csv = "topic,name,documents,words\r\n";
  for (const Topic& topic : map.topics) {
    std::string words;
    for (const TopicTerm& term : topic.terms) append_item(words, term.word, " ");
    csv += csv_line({topic.number, topic.name, topic.documents, words});
  }
  return csv;
}

int run(const TopicsExportOptions& options) {
  const Engine engine = open_engine(options.database);
  const PlacedDocuments placed = Reading(engine).placed_documents(engine.matching(""));

  Json files = Json::array();
  const auto write = [&](const char* ending, const std::string& content) {
    write_output_file(options.out + ending, content);
    files.push_back(options.out + ending);
  };

  write(".documents.csv", documents_csv(*placed.map, placed.documents));
  write(".units.csv", units_csv(*placed.map, engine));
  write(".topics.csv", topics_csv(*placed.map));

  if (options.database.common.json) print_json({{"files", std::move(files)}});
  return kGood;
}

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
  set_action(command, action, options, run);
}

constexpr const char* kTopicsFooter = R"(
Examples:
  kindred topics train --db wiki.db                      make a map, kept beside the index
  kindred topics train --db wiki.db --rows 50 --columns 50 --topics 20
  kindred topics show --db wiki.db                       its topics: words and documents
  kindred topics of --db wiki.db --id apollo-11          where a document lies
  kindred topics assign --db wiki.db                     store topics in the index, to filter by
  kindred topics map --db wiki.db --html map.html --svg map.svg
  kindred topics export --db wiki.db --out wiki          CSV files)";

void print_topics(const Json& result, const QuestionCommand&) {
  constexpr std::size_t kShown = 3;  // typical documents

  // A heading with the topic's name, its words in a paragraph, and the documents that lie nearest
  // to its middle.
  for (const Json& topic : result["topics"]) {
    std::cout << topic["number"] << "  " << shown(text_of(topic["name"])) << "  ("
              << topic["documents"] << " documents)\n";

    std::string words = "   ";
    for (const Json& term : topic["terms"]) words += ' ' + shown(text_of(term["word"]));
    std::cout << fitted(words + '\n');

    const Json& typical = topic["typical"];
    for (std::size_t i = 0; i < typical.size() && i < kShown; ++i)
      std::cout << "    " << fixed(typical[i]["similarity"], 2) << "  "
                << shown(name_of(typical[i]["id"])) << "  " << shown(text_of(typical[i]["title"]))
                << '\n';
  }
}

void print_places(const Json& result, const QuestionCommand&) {
  for (const Json& place : result["places"]) {
    if (place["topic"].is_null()) {
      std::cout << "no topic: none of its terms is on the map\n";
      continue;
    }
    std::cout << "topic " << place["topic"] << ", " << shown(text_of(place["name"])) << ": unit "
              << place["unit"] << " (row " << place["row"] << ", column " << place["column"]
              << "), novelty " << fixed(place["novelty"], 3) << '\n';
  }
}

void add_of(CLI::App& topics, Action& action) {
  struct OfCommand : QuestionCommand {
    ExampleOptions examples;
  };

  auto options = std::make_shared<OfCommand>();
  CLI::App& command = add_question(topics, action, "of", "topic_of", "", print_places, options);
  add_example_options(command, options->examples);

  command.callback([options, &action] {
    if (count_examples(options->examples) == 0)
      throw CLI::ValidationError("expected --id, --docid, --text or --text-file");
    action = [options] {
      options->request["examples"] = examples_json(options->examples);
      return answer(*options, print_places);
    };
  });
}

}  // namespace

void add_topics(CLI::App& program, Action& action) {
  CLI::App& topics =
      *program.add_subcommand("topics", "Make a map of the index with named topics, and use it");
  topics.require_subcommand(1);
  topics.footer(kTopicsFooter + 1);

  add_topics_train(topics, action);
  add_question(topics, action, "show", "topics", "", print_topics,
               std::make_shared<QuestionCommand>());
  add_of(topics, action);
  add_topics_assign(topics, action);
  add_topics_map(topics, action);
  add_topics_export(topics, action);
}

}  // namespace kindred::cli
