#include "plugin/cli/output/analysis_output.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/shown.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

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

}  // namespace

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
      steps += (steps.empty() ? "" : ", ") + name + ": " + text;
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

}  // namespace kindred::cli
