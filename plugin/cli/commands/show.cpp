// kindred show: what the index has of single documents.

#include <iostream>
#include <memory>
#include <string>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"

namespace kindred::cli {
namespace {

constexpr const char* kShowFooter = R"(
Examples:
  kindred show --db wiki.db apollo-11
  kindred show --db wiki.db apollo-11 mars-3 --json
Shows the title, the tags that people gave, predicted and rejected ones, the topic if the index has
a map, and the beginning of the text, if the index keeps it.)";

constexpr std::size_t kTextBytes = 400;

struct ShowOptions {
  DatabaseOptions database;
  ExampleOptions documents;
};

/// The topic of a document; null if it has none, or if there is no map.
const Topic* topic_of(const Engine& engine, const TopicMap* map, Xapian::docid docid) {
  if (map == nullptr) return nullptr;
  const TopicPlacement place = engine.topic_of(Docid{docid});
  return place.topic == 0 ? nullptr : &map->topics[place.topic - 1];
}

std::shared_ptr<const TopicMap> map_of(const Engine& engine) {
  try {
    return engine.topic_map();
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    return nullptr;
  }
}

void print_line(const char* what, const std::string& text) {
  if (!text.empty()) std::cout << "  " << what << ": " << shown(text) << '\n';
}

void print_document(const StoredDocument& document, const Topic* topic) {
  std::string predicted;
  for (const Tag& tag : document.predicted)
    predicted += (predicted.empty() ? "" : ", ") + tag.label + " " + percent(tag.confidence);
  std::cout << shown(document.id) << '\n';
  print_line("title", document.title);
  print_line("tags from people", labels_text(document.labels));
  print_line("predicted", predicted);
  print_line("rejected", labels_text(document.rejected));
  if (!document.auto_tag) std::cout << "  opted out of predicted tags\n";
  if (document.pending) std::cout << "  to be tagged later\n";
  if (topic != nullptr) print_line("topic", std::to_string(topic->number) + ", " + topic->name);
  print_line("text", text_sample(document, kTextBytes));
}

int show(const ShowOptions& options) {
  const Engine engine = open_engine(options.database);
  const auto map = map_of(engine);
  for (const StoredDocument& document :
       engine.documents(read_examples(options.documents)).documents) {
    const Topic* const topic = topic_of(engine, map.get(), document.docid);
    if (!options.database.common.json) {
      print_document(document, topic);
      continue;
    }
    Json json = record_json(document, topic);
    json["docid"] = document.docid;
    print_json(json);
  }
  return kGood;
}

}  // namespace

void add_show(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("show", "Show documents: titles, tags, topics and texts");
  auto options = std::make_shared<ShowOptions>();
  add_database_options(command, options->database);
  add_document_options(command, options->documents);
  command.footer(kShowFooter + 1);
  command.callback([options, &action] {
    if (count_examples(options->documents) == 0)
      throw CLI::ValidationError("expected an ID, --id or --docid");
    action = [options] { return show(*options); };
  });
}

}  // namespace kindred::cli
