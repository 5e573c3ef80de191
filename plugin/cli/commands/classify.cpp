// kindred classify: the tags that documents deserve.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <span>

#include "config/shown.h"
#include "plugin/cli/auto_tuning.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/document_output.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/cli/record_batch.h"
#include "plugin/cli/selection.h"

namespace kindred::cli {
namespace {

constexpr const char* kClassifyFooter = R"(
Examples:
  kindred classify --db wiki.db --text "a probe landed on Mars"
  kindred classify --db wiki.db --id apollo-11 --neighbors
  kindred classify --db wiki.db --jsonl new.jsonl --json
  notmuch search --output=messages tag:new | kindred classify --db ~/mail/.notmuch/xapian --ids-from -
With --jsonl, --ids-from, --query and --all the output has one line per record or document. Nothing
is written to the database: 'kindred ingest' and 'kindred tag' do that. If you leave out the options
of the vote, a tuning of the database ('kindred tune') decides, else the settings file, else the
defaults above.)";

struct ClassifyOptions {
  DatabaseOptions database;
  ExampleOptions examples;
  std::string jsonl;
  SelectionOptions selection;
  ClassifyRequest request;
};

/// null stands for infinity, a threshold that nothing reaches.
Json threshold_json(double threshold) {
  return std::isfinite(threshold) ? Json(threshold) : Json();
}

Json reasons_json(const Classification& result) {
  Json reasons = Json::array();
  for (const TagReason& reason : result.reasons) {
    Json json = {{"label", reason.label}, {"threshold", threshold_json(reason.threshold)}};
    json.update(reason_json(reason, result.neighbors));
    reasons.push_back(std::move(json));
  }
  return reasons;
}

Json misses_json(const Classification& result) {
  Json misses = Json::array();
  for (const NearMiss& miss : result.near_misses) {
    misses.push_back({{"label", miss.label},
                      {"confidence", miss.confidence},
                      {"threshold", threshold_json(miss.threshold)}});
  }
  return misses;
}

Json to_json(const Json& id, const Classification& result, const ClassifyRequest& request) {
  Json json = {{"revision", result.revision}, {"id", id}, {"tags", tags_json(result.tags)}};
  if (!result.withheld.empty()) json["withheld"] = tags_json(result.withheld);
  if (request.explain) {
    json["reasons"] = reasons_json(result);
    json["near_misses"] = misses_json(result);
  }
  if (!request.neighbors && !request.explain) return with_shards(std::move(json), result.shards);
  json["neighbors"] = Json::array();
  for (const Voter& voter : result.neighbors) {
    json["neighbors"].push_back(
        {{"id", voter.id}, {"similarity", shortest(voter.similarity)}, {"labels", voter.labels}});
  }
  if (result.unit) {
    json["unit"] = {{"unit", result.unit->unit},
                    {"topic", result.unit->topic},
                    {"documents", result.unit->documents}};
  }
  return with_shards(std::move(json), result.shards);
}

std::string shortfall(const Classification& result) {
  if (!result.withheld.empty() && !result.best) return "no tag but what people do not want here";
  if (!result.best) return "no labeled document has a term in common with this";
  return "no tag reaches the threshold; the best is " + shown(result.best->label) + " with " +
         fixed(result.best->confidence, 4);
}

void print_explanation(const Classification& result) {
  if (result.unit) {
    std::cout << "\nunit " << result.unit->unit << " of topic " << result.unit->topic << ": "
              << result.unit->documents << " documents there and around it voted\n";
  }
  if (!result.reasons.empty()) {
    Table table({"tag", "because of"});
    for (const TagReason& reason : result.reasons)
      table.add_row({reason.label, reason_text(reason, result.neighbors)});
    std::cout << '\n';
    table.print();
  }
  if (result.near_misses.empty()) return;
  constexpr std::size_t kShown = 10;
  Table table({"confidence", "threshold", "missing", "not given"});
  for (std::size_t i = 0; i < std::min(kShown, result.near_misses.size()); ++i) {
    const NearMiss& miss = result.near_misses[i];
    table.add_row({fixed(miss.confidence, 4), fixed(miss.threshold, 4),
                   fixed(std::max(0.0, miss.threshold - miss.confidence), 4), miss.label});
  }
  std::cout << '\n';
  table.print();
}

void print_tables(const Engine& engine, const Classification& result,
                  const ClassifyRequest& request) {
  if (result.tags.empty()) {
    std::cout << shortfall(result) << '\n';
  } else {
    Table table({"confidence", "tag"});
    for (const Tag& tag : result.tags) table.add_row({fixed(tag.confidence, 4), tag.label});
    table.print();
  }
  for (const Tag& tag : result.withheld) {
    std::cout << "withheld: " << shown(tag.label) << ' ' << fixed(tag.confidence, 4) << '\n';
  }
  if (request.explain) print_explanation(result);
  if (!request.neighbors || result.neighbors.empty()) return;
  constexpr std::size_t kShown = 5;
  const auto nearest = std::span(result.neighbors).first(std::min(kShown, result.neighbors.size()));
  std::vector<Xapian::docid> docids;
  for (const Voter& voter : nearest) docids.push_back(voter.docid);
  const std::vector<std::string> titles = engine.titles(docids);
  Table table({"similarity", "neighbor", "title", "tags"});
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    table.add_row({fixed(nearest[i].similarity, 4), nearest[i].id, titles[i],
                   labels_text(nearest[i].labels)});
  }
  std::cout << '\n';
  table.print();
  if (nearest.size() < result.neighbors.size())
    std::cout << "the nearest of " << result.neighbors.size() << " neighbors; --json has all\n";
}

int run_one(const ClassifyOptions& options) {
  const Example example = read_examples(options.examples).front();
  Engine engine = open_engine(options.database);
  tune_if_needed(engine, options.request);
  const Classification result = engine.classify(example, options.request);
  if (!options.database.common.json) {
    print_tables(engine, result, options.request);
    return kGood;
  }
  const auto* id = std::get_if<UniqueId>(&example);
  Json json = to_json(id == nullptr ? Json() : Json(id->value), result, options.request);
  if (const auto* docid = std::get_if<Docid>(&example)) json["docid"] = docid->value;
  print_json(json);
  return kGood;
}

/// A line for people: the id, then its tags.
void print_line(const std::string& id, const Classification& result) {
  std::string tags;
  for (const Tag& tag : result.tags) {
    tags += (tags.empty() ? "" : ", ") + shown(tag.label) + " " + fixed(tag.confidence, 4);
  }
  std::cout << shown(id) << '\t' << (tags.empty() ? "-" : tags) << '\n';
}

/// Classifies the good lines of a batch; false if there is a bad one.
bool run_batch(const Engine& engine, std::vector<ParsedLine>& batch, const ClassifyOptions& options,
               BadLines& bad_lines) {
  std::vector<Record> records;
  for (const ParsedLine& line : batch) {
    if (line.error.empty()) records.push_back(line.record);
  }
  const std::vector<Classification> results = engine.classify(records, options.request);
  auto result = results.begin();
  for (const ParsedLine& line : batch) {
    if (!line.error.empty()) {
      bad_lines.report(options.jsonl, line.number, line.error);
      if (options.database.common.json) print_json(bad_line_json(line.number, line.error));
      continue;
    }
    const std::string& id = line.record.id;
    if (options.database.common.json) {
      print_json(to_json(id.empty() ? Json() : Json(id), *result, options.request));
    } else {
      print_line(id, *result);
    }
    ++result;
  }
  return results.size() == batch.size();
}

int run_file(const ClassifyOptions& options) {
  const Settings settings = read_settings(options.database);
  RecordReader reader(options.jsonl);
  Engine engine = open_engine(options.database, settings);
  tune_if_needed(engine, options.request);
  Progress progress(progress_beside(std::cout), "classified");
  BadLines bad_lines(options.database.verbose);
  std::uint64_t done = 0;
  bool good = true;
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    good = run_batch(engine, batch, options, bad_lines) && good;
    progress.report(done += batch.size());
  }
  bad_lines.finish();
  return good ? kGood : kFailed;
}

void print_document(const SelectedDocument& document, const Classification& result,
                    const ClassifyOptions& options) {
  if (!options.database.common.json) return print_line(document.id, result);
  Json json = to_json(document.id, result, options.request);
  json["docid"] = document.docid;
  print_json(json);
}

/// Classifies some documents of the index; an id that no document has gets a line in its place, and
/// then the answer is false.
bool run_part(const Engine& engine, std::span<const SelectedDocument> documents,
              const ClassifyOptions& options) {
  std::vector<Example> examples;
  for (const SelectedDocument& document : documents)
    if (document.error.empty()) examples.emplace_back(Docid{document.docid});
  const std::vector<Classification> results = engine.classify(examples, options.request);
  auto result = results.begin();
  for (const SelectedDocument& document : documents) {
    if (document.error.empty()) {
      print_document(document, *result++, options);
    } else if (options.database.common.json) {
      print_json(bad_line_json(document.line, document.error));
    }
  }
  return results.size() == documents.size();
}

int run_selection(const ClassifyOptions& options) {
  constexpr std::size_t kTogether = 1000;
  Engine engine = open_engine(options.database);
  tune_if_needed(engine, options.request);
  const std::vector<SelectedDocument> documents = select_documents(engine, options.selection);
  Progress progress(progress_beside(std::cout), "classified");
  bool good = true;
  for (std::size_t first = 0; first < documents.size(); first += kTogether) {
    progress.report_share(first, documents.size());
    const std::size_t count = std::min(kTogether, documents.size() - first);
    good = run_part(engine, std::span(documents).subspan(first, count), options) && good;
  }
  return good ? kGood : kFailed;
}

void add_request_options(CLI::App& command, ClassifyRequest& request) {
  add_vote_options(command, request);
  command
      .add_option("--max-labels", request.max_labels,
                  with_tuned_default("Give at most this many tags", 5))
      ->type_name("N")
      ->transform(whole_number(1, 1000000));
  command
      .add_option("--filter", request.filter, "Only documents that match this Xapian query vote")
      ->type_name("QUERY");
  command.add_flag("--neighbors", request.neighbors, "Show the nearest voters; --json shows all");
  command.add_flag("--explain", request.explain,
                   "Show why each tag was given, and how far other labels missed");
}

}  // namespace

void add_classify(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("classify", "Say which tags documents deserve");
  auto options = std::make_shared<ClassifyOptions>();
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  add_example_options(command, options->examples);
  command
      .add_option("--jsonl", options->jsonl, "Records of a JSON Lines file; - is standard input")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  add_selection_options(command, options->selection);
  add_request_options(command, options->request);
  command.footer(kClassifyFooter + 1);
  command.callback([options, &action] {
    const bool file = !options->jsonl.empty();
    const bool many = is_given(options->selection);
    if (count_examples(options->examples) + (file ? 1 : 0) + (many ? 1 : 0) != 1) {
      throw CLI::ValidationError(
          "expected exactly one --id, --docid, --text, --text-file, --jsonl, --ids-from, --query "
          "or --all");
    }
    action = [options, file, many] {
      if (many) return run_selection(*options);
      return file ? run_file(*options) : run_one(*options);
    };
  });
}

}  // namespace kindred::cli
