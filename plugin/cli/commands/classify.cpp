// kindred classify: the tags that documents deserve.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <span>

#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"
#include "plugin/cli/record_lines.h"
#include "plugin/cli/selected_documents.h"
#include "plugin/input/record_reader.h"

namespace kindred::cli {
namespace {

constexpr const char* kClassifyFooter = R"(
Examples:
  kindred classify --db wiki.db --text "a probe landed on Mars"
  kindred classify --db wiki.db --id apollo-11 --voters
  kindred classify --db wiki.db --jsonl new.jsonl --json
  notmuch search --output=messages tag:new | kindred classify --db ~/mail/.notmuch/xapian --ids-from -
With --jsonl, --ids-from, --query and --all the output has one line per record or document. Nothing
is written to the database: 'kindred ingest' and 'kindred tag' do that. A tag that is "suggested" is
a term of the vocabulary that no document has; these are never written. If you leave out the options
of the vote, a tuning of the database ('kindred tune') decides, else the settings file, else the
defaults above.)";

constexpr std::size_t kVotersShown = 5;

struct ClassifyCommand : QuestionCommand {
  ExampleOptions examples;
  std::string jsonl;
  SelectionOptions selection;
};

std::string shortfall(const Json& answer, const QuestionCommand& command) {
  // Why no tag is given, the most telling reason first.
  const bool has_filter = command.request.contains("filter");
  const Json& best = answer["best"];
  if (answer.contains("withheld") && best.is_null())
    return "no tag but what people do not want here";
  if (best.is_null()) {
    const std::string which = has_filter ? "that matches the filter " : "";
    return "no labeled document " + which + "has a term in common with this";
  }

  return "no tag reaches the threshold; the best is " + shown(label_text(best)) + " with " +
         fixed(best["confidence"], 4);
}

void print_explanation(const Json& answer) {
  // A vote by units has no voters to show: it names the unit where the document lies.
  if (answer.contains("unit")) {
    const Json& unit = answer["unit"];
    std::cout << "\nunit " << unit["unit"] << " of topic " << unit["topic"] << ": "
              << unit["documents"] << " documents there and around it voted\n";
  }

  // The labels that came nearest to being given, with what each of them lacks.
  const Json& misses = answer["near_misses"];
  if (misses.empty()) return;
  constexpr std::size_t kShown = 10;
  Table table({"confidence", "threshold", "missing", "not given"});
  for (std::size_t i = 0; i < std::min(kShown, misses.size()); ++i) {
    // A label without a threshold is never given: it lacks all that there is.
    const Json& least = misses[i]["threshold"];
    const double confidence = number_of(misses[i]["confidence"]);
    const double threshold = least.is_null() ? HUGE_VAL : number_of(least);
    table.add_row({kindred::fixed(confidence, 4), kindred::fixed(threshold, 4),
                   kindred::fixed(std::max(0.0, threshold - confidence), 4),
                   label_text(misses[i])});
  }

  std::cout << '\n';
  table.print();
}

/// `most`: how many are shown; 0: five.
/// Shows the nearest voters: five, unless the command says how many vote.
void print_voters(const Json& answer, const QuestionCommand& command) {
  const Json& voters = answer["voters"];
  if (voters.empty()) return;
  const auto wanted = command.request.value("neighbors", std::size_t{0});
  const std::size_t most = wanted == 0 ? kVotersShown : wanted;

  Table table({"similarity", "voter", "title", "tags"});
  for (std::size_t i = 0; i < std::min(most, voters.size()); ++i)
    table.add_row({fixed(voters[i]["similarity"], 4), name_of(voters[i]["id"]),
                   grouped_title(voters[i]), labels_text(voters[i]["labels"], answer)});

  std::cout << '\n';
  table.print();

  if (voters.size() > most)
    std::cout << "the nearest of " << voters.size() << " voters; --json has all\n";
}

void print_classification(const Json& answer, const QuestionCommand& command) {
  if (answer["tags"].empty()) {
    std::cout << shortfall(answer, command) << '\n';
  } else {
    Table table({answer.contains("untuned") ? "vote share" : "confidence", "tag"});
    for (std::size_t i = 0; i < answer["tags"].size(); ++i) {
      const Json& tag = answer["tags"][i];
      const char* mark = tag.contains("suggested") ? ", suggested" : "";
      table.add_row({fixed(tag["confidence"], 4), label_text(tag) + mark});
      if (answer.contains("reasons")) table.add_line(reason_text(answer["reasons"][i]));
    }
    table.print();
  }

  for (const Json& tag : answer.value("withheld", Json::array()))
    std::cout << "withheld: " << shown(label_text(tag)) << ' ' << fixed(tag["confidence"], 4)
              << '\n';

  if (command.request.contains("explain")) print_explanation(answer);
  if (command.request.contains("voters")) print_voters(answer, command);
}

int run_one(ClassifyCommand& command) {
  command.request["example"] = examples_json(command.examples).front();
  if (!command.has_json() && command.request.contains("voters")) command.request["titles"] = true;
  return answer(command, print_classification);
}

/// The line of a document or record: JSON, or its id, its tags and, with --voters, the nearest.
std::string tags_line(const SelectedDocument& document, Json answer, bool json) {
  if (json) return json_line(answer);
  std::string text;
  for (const Json& tag : answer["tags"])
    append_item(text, shown(label_text(tag)) + " " + fixed(tag["confidence"], 4));
  if (text.empty()) text = "-";
  if (!answer.contains("voters")) return shown(document.id) + '\t' + text;

  std::string voters;
  for (std::size_t i = 0; i < std::min(kVotersShown, answer["voters"].size()); ++i) {
    const Json& voter = answer["voters"][i];
    append_item(voters, shown(name_of(voter["id"])) + " " + fixed(voter["similarity"], 4));
  }
  return shown(document.id) + '\t' + text + '\t' + (voters.empty() ? "-" : voters);
}

int run_file(const ClassifyCommand& command) {
  // A tuning that is due is found before the first record, so that all of them get their tags by
  // it.
  RecordFile reader(command.jsonl);
  AskedDatabase database(command.database);
  if (!command.request.contains("vote")) database.tune_if_needed();

  Progress progress(progress_beside(std::cout), "classified");
  BadLines bad_lines(command.database.verbose);
  std::uint64_t done = 0;

  // Records are asked in batches, which is much faster than one by one. A bad line has no answer,
  // but is kept among the records, for its place in the output.
  for (auto batch = read_batch(reader); !batch.empty(); batch = read_batch(reader)) {
    std::vector<SelectedDocument> records;
    Json request = command.request;
    request["examples"] = Json::array();
    for (const ParsedLine& line : batch) {
      records.push_back({line.number, line.record.id, 0, line.error});
      if (line.error.empty()) {
        request["examples"].push_back({{"record", line.text}});
      } else {
        bad_lines.report(command.jsonl, line.number, line.error);
      }
    }
    write_answers(database, command, request, records, std::cout, tags_line);
    done += batch.size();
    progress.report_read(done, reader.position());
  }
  if (bad_lines.finish()) return kGood;
  return kFailed;
}

int run_selection(const ClassifyCommand& command) {
  constexpr std::size_t kTogether = 1000;

  // Tags of the whole selection follow one tuning, as those of a file do.
  AskedDatabase database(command.database);
  if (!command.request.contains("vote")) database.tune_if_needed();

  const auto documents = select_documents(database.engine(), command.selection);
  Progress progress(progress_beside(std::cout), "classified");
  bool good = true;

  // In parts, so that the answers of a large index need not be in memory at once.
  for (std::size_t first = 0; first < documents.size(); first += kTogether) {
    progress.report_share(first, documents.size());
    const auto part =
        std::span(documents).subspan(first, std::min(kTogether, documents.size() - first));

    Json request = command.request;
    request["examples"] = Json::array();
    for (const SelectedDocument& document : part)
      if (document.error.empty()) request["examples"].push_back({{"docid", document.docid}});

    good = write_answers(database, command, request, part, std::cout, tags_line) && good;
  }
  if (good) return kGood;
  return kFailed;
}

}  // namespace

void add_classify(CLI::App& program, Action& action) {
  auto options = std::make_shared<ClassifyCommand>();
  CLI::App& command =
      add_question(program, action, "classify", "classify", "", print_classification, options);

  options->database.needs_labels = true;
  options->database.suggests = true;
  add_example_options(command, options->examples);
  add_file_option(command, "--jsonl", options->jsonl,
                  "Records of a JSON Lines file; - is standard input");
  add_selection_options(command, options->selection);
  add_keys(command, "classify", options->request, {"limit", "explain", "voters", "group"});
  command.add_flag_callback(
      "--no-suggest",
      [options] {
        options->request["suggest"] = false;
      },
      "Only labels that a document has");
  add_keys(command, "classify", options->request,
           {"neighbors", "min_confidence", "vote", "min_similarity", "prototypes", "filter"},
           kVoteGroup);

  command.footer(kClassifyFooter + 1);
  command.callback([options, &action] {
    const bool file = !options->jsonl.empty();
    const bool many = is_given(options->selection);
    std::size_t sources = count_examples(options->examples);
    if (file) ++sources;
    if (many) ++sources;
    if (sources != 1) {
      throw CLI::ValidationError(
          "expected exactly one --id, --docid, --text, --text-file, --jsonl, --ids-from, --query "
          "or --all");
    }

    options->tunes_first = !options->request.contains("vote");

    action = [options, file, many] {
      if (many) return run_selection(*options);
      if (file) return run_file(*options);
      return run_one(*options);
    };
  });
}

}  // namespace kindred::cli
