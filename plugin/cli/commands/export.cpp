// kindred export: the documents with their tags, as records or CSV.

#include <algorithm>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugin/cli/auto_tuning.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

constexpr const char* kExportFooter = R"(
Examples:
  kindred export --db wiki.db >wiki.jsonl
  kindred export --db wiki.db --query 'label:space' --csv >space.csv
  kindred export --db ~/.cache/mu/xapian | kindred index --db mail.db -
JSON Lines are records as 'kindred index' takes them, with the features of each document as terms.
Predicted tags with their confidence, and the topic if the database has a map, are for other
programs: 'kindred index' leaves them out. An index that Kindred must not write (index.read_only)
holds no predicted tags; then its documents without labels are tagged as 'kindred classify' does.)";

constexpr std::size_t kDocumentsAtOnce = 1000;

struct ExportOptions {
  DatabaseOptions database;
  std::string query;
  bool csv = false;
  bool jsonl = false;
};

/// The topic of each document by its docid; none if there is no map.
std::unordered_map<Xapian::docid, const Topic*> topics_of(const PlacedDocuments& placed) {
  std::unordered_map<Xapian::docid, const Topic*> topics;
  for (const PlacedDocument& document : placed.documents) {
    if (document.place.topic > 0)
      topics[document.docid] = &placed.map->topics[document.place.topic - 1];
  }
  return topics;
}

PlacedDocuments places_of(const Engine& engine, const std::string& query) {
  try {
    return engine.placed_documents(query);
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;  // there is no map
    return {};
  }
}

/// The features without their prefixes.
Json terms_json(const TermBag& features, const std::vector<std::string>& prefixes) {
  Json terms = Json::object();
  for (const TermCount& feature : features) {
    const auto prefix = std::find_if(prefixes.begin(), prefixes.end(), [&](const std::string& p) {
      return feature.term.starts_with(p);
    });
    std::string_view term = feature.term;
    if (prefix != prefixes.end()) term.remove_prefix(prefix->size());
    if (prefix != prefixes.end() && prefix->size() > 1 && term.starts_with(':'))
      term.remove_prefix(1);
    const std::string key(term);
    const std::uint64_t count = terms.value(key, std::uint64_t{0}) + feature.count;
    terms[key] = std::min<std::uint64_t>(count, 65535);
  }
  return terms;
}

std::string with_bars(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : "|") + item;
  return text;
}

std::string csv_line(const StoredDocument& document, const Topic* topic) {
  std::vector<std::string> predicted;
  for (const Tag& tag : document.predicted)
    predicted.push_back(tag.label + " " + fixed(tag.confidence, 4));
  return csv_field(document.id) + ',' + csv_field(document.title) + ',' +
         csv_field(with_bars(document.labels)) + ',' + csv_field(with_bars(predicted)) + ',' +
         csv_field(with_bars(document.rejected)) + ',' +
         csv_field(topic == nullptr ? "" : topic->name) + "\n";
}

/// Predicts the tags of documents that have none, in an index where Kindred cannot keep them.
void predict_missing(const Engine& engine, std::vector<StoredDocument>& documents) {
  std::vector<Example> examples;
  std::vector<StoredDocument*> without;
  for (StoredDocument& document : documents) {
    if (!document.labels.empty()) continue;
    examples.emplace_back(Docid{document.docid});
    without.push_back(&document);
  }
  const std::vector<Classification> found = engine.classify(examples);
  for (std::size_t i = 0; i < found.size(); ++i) without[i]->predicted = found[i].tags;
}

/// The prefixes of the features, the longest first, so that each takes its own.
std::vector<std::string> feature_prefixes_of(const Engine& engine) {
  std::vector<std::string> prefixes = engine.settings().mirror.term_prefixes;
  if (prefixes.empty()) prefixes = {"Z"};
  std::sort(prefixes.rbegin(), prefixes.rend());
  return prefixes;
}

int run(const ExportOptions& options) {
  Engine engine = open_engine(options.database);
  const bool predicts = engine.settings().index.read_only && engine.status().labeled > 0;
  if (predicts) tune_if_needed(engine);
  const PlacedDocuments placed = places_of(engine, options.query);
  const auto topics = topics_of(placed);
  const std::vector<std::string> prefixes = feature_prefixes_of(engine);
  const std::vector<Xapian::docid> docids = engine.matching(options.query);
  if (options.csv) std::cout << "id,title,labels,predicted,rejected_labels,topic\n";
  for (std::size_t begin = 0; begin < docids.size(); begin += kDocumentsAtOnce) {
    const std::vector<Example> examples = examples_of(
        std::span(docids).subspan(begin, std::min(kDocumentsAtOnce, docids.size() - begin)));
    std::vector<StoredDocument> documents = engine.documents(examples).documents;
    if (predicts) predict_missing(engine, documents);
    const std::vector<TermBag> features =
        options.csv ? std::vector<TermBag>(examples.size()) : engine.features(examples);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto found = topics.find(documents[i].docid);
      const Topic* const topic = found == topics.end() ? nullptr : found->second;
      if (options.csv) {
        std::cout << csv_line(documents[i], topic);
      } else {
        Json record = record_json(documents[i], topic);
        record["terms"] = terms_json(features[i], prefixes);
        print_json(record);
      }
    }
  }
  return kGood;
}

}  // namespace

void add_export(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("export", "Write the documents with their tags, as records or CSV");
  auto options = std::make_shared<ExportOptions>();
  add_database_options(command, options->database);
  command.add_option("--query", options->query, "Only documents that match this Xapian query")
      ->type_name("QUERY");
  CLI::Option* csv = command.add_flag("--csv", options->csv, "Write CSV, without features");
  command.add_flag("--jsonl", options->jsonl, "Write JSON Lines, which is the default")
      ->excludes(csv);
  command.footer(kExportFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
