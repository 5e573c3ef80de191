// kindred analyze: how a text becomes terms.

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "config/shown.h"
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
'word' is what people search for, 'term' the feature that tags and similarities rest on. A dash
means that a step has dropped it; the steps say why. 'joined' are features of several words.)";

struct AnalyzeOptions {
  CommonOptions common;
  std::string language;
  std::vector<std::string> texts;
  std::vector<std::string> text_files;
  std::string html;
};

struct DropReason {
  std::string_view step;
  const char* text;
};
constexpr DropReason kDropReasons[] = {
    {"fold", "nothing of it is left"},
    {"length", "too long"},
    {"numbers", "a word without letters"},
    {"stop_words", "a stop word"},
};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

/// Why a word is no feature: the step that dropped it, and what the step says of it. Null for a
/// word that is one.
Json drop_reason(const TokenTrace& trace) {
  if (!trace.term.empty()) return {};
  for (const TraceStep& step : trace.steps) {
    if (!step.result.empty()) continue;
    const auto known = std::ranges::find(kDropReasons, step.step, &DropReason::step);
    const bool is_known = known != std::end(kDropReasons);
    return {{"step", step.step}, {"reason", is_known ? known->text : kDropReasons[0].text}};
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
  Table table({"position", "surface", "word", "term", "steps"});
  for (const Json& token : analysis["tokens"]) {
    std::string steps;
    const auto add = [&](const std::string& name, const std::string& text) {
      steps.append(steps.empty() ? "" : ", ").append(name).append(": ").append(text);
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

/// What language the text is found to be in; none if one is given, or the settings find none.
std::optional<Detection> detect(const AnalyzerSettings& settings, const std::string& language,
                                const std::string& text) {
  if (!language.empty() || settings.detect == "off") return {};
  return LanguageDetector(settings.languages).detect(text);
}

Analyzer make_analyzer(const AnalyzerSettings& settings, const std::string& language,
                       const std::optional<Detection>& found) {
  if (!found || !found->is_certain()) return Analyzer(settings, language);
  return Analyzer(settings, found->language, LanguageSource::kDetected);
}

int run(const AnalyzeOptions& options) {
  const Settings settings = read_settings(options.common);
  const std::string text =
      options.texts.empty() ? read_text(options.text_files.front()) : options.texts.front();
  const auto found = detect(settings.analyzer, options.language, text);
  Analyzer analyzer = make_analyzer(settings.analyzer, options.language, found);
  const Json analysis = analysis_json(analyzer.language(), found, analyzer.trace(text));
  if (!options.html.empty()) write_report(options.html, "analyze", "", analysis);
  if (options.common.json) {
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
  add_common_options(command, options->common);
  add_language_option(command, options->language);
  add_texts(command, "--text", options->texts, "The text");
  add_texts(command, "--text-file", options->text_files,
            "A file with the text; - is standard input")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  add_file_option(command, "--html", options->html,
                  "Write a page with the text and its steps here");
  command.footer(kAnalyzeFooter + 1);
  command.callback([options, &action] {
    if (options->texts.size() + options->text_files.size() != 1) {
      throw CLI::ValidationError("expected exactly one --text or --text-file");
    }
    action = [options] { return run(*options); };
  });
}

}  // namespace kindred::cli
