// kindred analyze: how a text becomes terms.

#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "config/shown.h"
#include "plugin/cli/asked_database.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/examples.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kAnalyzeFooter = R"(
Examples:
  kindred analyze --text "The dogs' houses"
  kindred analyze --lang pt --text-file carta.txt --json
  kindred analyze --text-file letter.txt --html letter.html
  kindred analyze --db wiki.db --text "The dogs' houses"
'word' is what people search for, 'term' the feature that tags and similarities rest on. A dash
means that a step has dropped it; the steps say why. 'joined' are features of several words. With --db,
the text is read as that index reads it: by its settings, or as the program that made it.)";

struct AnalyzeOptions {
  DatabaseOptions database;  ///< with the options that all commands have
  ExampleOptions examples;   ///< one text
  std::string html;
};

/// Why a step drops a word.
const char* reason_of(std::string_view step) {
  if (step == "length") return "too long";
  if (step == "numbers") return "a word without letters";
  if (step == "stop_words") return "a stop word";
  return "nothing of it is left";
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

/// Why a word is no feature: the step that dropped it, and what the step says of it. Null for a
/// word that is one.
Json drop_reason(const TokenTrace& trace) {
  if (!trace.term.empty()) return {};
  for (const TraceStep& step : trace.steps) {
    if (step.result.empty()) return {{"step", step.step}, {"reason", reason_of(step.step)}};
  }
  return {};
}

/// How a text became terms. `found`: the language that it is found to be in, if that was looked
/// for.
Json analysis_json(const std::string& language, const std::optional<Detection>& found,
                   const std::vector<TokenTrace>& traces) {
  Json json = {{"language", language}, {"tokens", Json::array()}};
  for (const TokenTrace& trace : traces) {
    Json steps = Json::array();
    for (const TraceStep& step : trace.steps)
      steps.push_back({{"step", step.step}, {"result", step.result}});

    json["tokens"].push_back({{"position", trace.position},
                              {"begin", trace.begin},
                              {"end", trace.end},
                              {"surface", trace.surface},
                              {"word", trace.word},
                              {"term", trace.term},
                              {"steps", std::move(steps)},
                              {"dropped", drop_reason(trace)},
                              {"joined", trace.joined},
                              {"parts", trace.parts}});
  }

  if (found) json["found"] = {{"language", found->language}, {"confidence", found->confidence}};
  return json;
}

void print_analysis(const Json& analysis) {
  std::cout << "language " << shown(text_of(analysis["language"]));
  if (analysis.contains("found")) {
    const Json& found = analysis["found"];
    if (found["language"] == "") {
      std::cout << ", as there is no telling";
    } else {
      std::cout << ", found " << text_of(found["language"]) << " with a confidence of "
                << fixed(found["confidence"], 2);
    }
  }

  std::cout << '\n';

  // A row for each word; its steps are listed in one cell, with what became of it.
  Table table({"position", "surface", "word", "term", "steps"});
  for (const Json& token : analysis["tokens"]) {
    std::string steps;
    const auto add = [&](const std::string& name, const std::string& text) {
      append_item(steps, name + ": " + text);
    };

    for (const Json& step : token["steps"])
      add(text_of(step["step"]), or_dash(text_of(step["result"])));
    if (const Json& dropped = token["dropped"]; !dropped.is_null())
      steps += " (" + text_of(dropped["reason"]) + ")";

    for (const Json& term : token["parts"]) add("part", text_of(term));
    for (const Json& term : token["joined"]) add("joined", text_of(term));

    table.add_row({text_of(token["position"]), text_of(token["surface"]),
                   or_dash(text_of(token["word"])), or_dash(text_of(token["term"])), steps});
  }

  table.print();
}

/// How an index reads a text: `analysis` is the answer of the question of that name.
void print_reading(const Json& analysis) {
  std::cout << "language " << shown(text_of(analysis["language"])) << '\n';
  Table table({"position", "word", "term", "joined"});
  for (const Json& word : analysis["words"]) {
    std::string term = text_of(word["term"]);
    if (word["stop_word"].get<bool>()) term = "- (a stop word)";
    std::string joined;
    for (const Json& each : word["joined"]) append_item(joined, text_of(each));
    table.add_row(
        {text_of(word["position"]), or_dash(text_of(word["word"])), or_dash(term), joined});
  }
  table.print();
}

/// Asks the index, which may be another program's.
int ask_index(const AnalyzeOptions& options, const std::string& text) {
  AskedDatabase database(options.database);
  const Json analysis =
      database.answer("analyze", {{"text", text}, {"lang", options.examples.language}});
  if (!options.database.common.json) print_reading(analysis);
  return kGood;
}

int run(const AnalyzeOptions& options) {
  const Settings settings = read_settings(options.database);

  // Texts and files are read as examples of 'classify' are, so that both are analyzed alike.
  const std::string text = examples_json(options.examples)[0]["text"].get<std::string>();
  const std::string& language = options.examples.language;
  if (!options.database.database.empty()) return ask_index(options, text);

  // A language that is given is believed; else it is found as it is for documents.
  std::optional<Detection> found;
  if (language.empty() && settings.analyzer.detect != "off")
    found = LanguageDetector(settings.analyzer.languages).detect(text);

  Analyzer analyzer = found && found->is_certain()
                          ? Analyzer(settings.analyzer, found->language, LanguageSource::kDetected)
                          : Analyzer(settings.analyzer, language);

  const Json analysis = analysis_json(analyzer.language(), found, analyzer.trace(text));
  if (!options.html.empty()) write_report(options.html, "analyze", "", analysis);
  if (options.database.common.json) {
    print_json(analysis);
  } else if (options.html.empty()) {
    print_analysis(analysis);
  }
  return kGood;
}

}  // namespace

void add_analyze(CLI::App& program, Action& action) {
  CLI::App& command = *program.add_subcommand("analyze", "Show how a text becomes terms");
  auto options = std::make_shared<AnalyzeOptions>();

  add_database_options(command, options->database);
  CLI::Option* const database =
      command.get_option("--db")->required(false)->description("Read the text as this index does");
  add_language_option(command, options->examples.language);
  add_text_options(command, options->examples, "The text",
                   "A file with the text; - is standard input");
  add_file_option(command, "--html", options->html, "Write a page with the text and its steps here")
      ->excludes(database);

  command.footer(kAnalyzeFooter + 1);
  command.callback([options, &action] {
    if (count_examples(options->examples) != 1)
      throw CLI::ValidationError("expected exactly one --text or --text-file");
    action = [options] {
      return run(*options);
    };
  });
}

}  // namespace kindred::cli
