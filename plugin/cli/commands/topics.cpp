// kindred topics: a map of the whole index with named topics. This file: show, of.

#include <iostream>
#include <memory>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/question.h"

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

void print_topics(const Json& result, const QuestionCommand&) {
  constexpr std::size_t kShown = 3;  // typical documents
  for (const Json& topic : result["topics"]) {
    std::cout << topic["number"] << "  " << shown(text_of(topic["name"])) << "  ("
              << topic["documents"] << " documents)\n   ";
    for (const Json& term : topic["terms"]) std::cout << ' ' << shown(text_of(term["word"]));
    std::cout << '\n';
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
