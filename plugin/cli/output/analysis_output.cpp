#include "plugin/cli/output/analysis_output.h"

#include <iostream>
#include <utility>

#include "config/shown.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

constexpr std::pair<const char*, const char*> kDropReasons[] = {
    {"fold", "nothing of it is left"},
    {"length", "too long"},
    {"numbers", "a word without letters"},
    {"stop_words", "a stop word"},
};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

DropReason drop_reason(const TokenTrace& trace) {
  if (!trace.term.empty()) return {};
  for (const TraceStep& step : trace.steps) {
    if (!step.result.empty()) continue;
    for (const auto& [name, text] : kDropReasons)
      if (step.step == name) return {step.step, text};
    return {step.step, "nothing of it is left"};
  }
  return {};
}

void print_analysis_as_json(const std::string& language, const std::optional<Detection>& found,
                            const std::vector<TokenTrace>& traces) {
  Json json = {{"language", language}, {"tokens", Json::array()}};
  for (const TokenTrace& trace : traces) {
    Json steps = Json::array();
    for (const TraceStep& step : trace.steps) {
      steps.push_back({{"step", step.step}, {"result", step.result}});
    }
    Json token = {{"position", trace.position},
                  {"begin", trace.begin},
                  {"end", trace.end},
                  {"surface", trace.surface},
                  {"word", trace.word},
                  {"term", trace.term},
                  {"steps", steps},
                  {"dropped", nullptr},
                  {"joined", trace.joined},
                  {"parts", trace.parts}};
    const DropReason dropped = drop_reason(trace);
    if (!dropped.step.empty())
      token["dropped"] = {{"step", dropped.step}, {"reason", dropped.text}};
    json["tokens"].push_back(std::move(token));
  }
  if (found) json["found"] = {{"language", found->language}, {"confidence", found->confidence}};
  print_json(json);
}

void print_analysis_as_table(const std::string& language, const std::optional<Detection>& found,
                             const std::vector<TokenTrace>& traces) {
  std::cout << "language " << shown(language);
  if (found && found->language.empty()) std::cout << ", as there is no telling";
  if (found && !found->language.empty())
    std::cout << ", found " << found->language << " with a confidence of "
              << fixed(found->confidence, 2);
  std::cout << '\n';
  Table table({"position", "surface", "word", "term", "steps"});
  for (const TokenTrace& trace : traces) {
    std::string steps;
    for (const TraceStep& step : trace.steps) {
      steps += (steps.empty() ? "" : ", ") + step.step + ": " + or_dash(step.result);
    }
    const DropReason dropped = drop_reason(trace);
    if (!dropped.text.empty()) steps += " (" + dropped.text + ")";
    for (const std::string& term : trace.parts)
      steps += (steps.empty() ? "" : ", ") + std::string("part: ") + term;
    for (const std::string& term : trace.joined)
      steps += (steps.empty() ? "" : ", ") + std::string("joined: ") + term;
    table.add_row({std::to_string(trace.position), trace.surface, or_dash(trace.word),
                   or_dash(trace.term), steps});
  }
  table.print();
}

}  // namespace kindred::cli
