// The questions about the quality of labels.
#include <utility>
#include <vector>

#include "plugin/ask/asking.h"
#include "plugin/ask/evaluation_json.h"
#include "plugin/classify/geometry_measurement.h"
#include "questions_json.h"

namespace kindred {
namespace {

void fill(const Evaluation& evaluation, const ShownParts& parts, api::EvaluateAnswer& answer) {
  static_cast<api::EvaluationReport&>(answer) = evaluation.report();
  const auto best = evaluation.reliability(), pairs = evaluation.pair_reliability();
  answer.reliability.assign(best.begin(), best.end());
  answer.pair_reliability.assign(pairs.begin(), pairs.end());
  std::vector<api::BestLabelsReport> best_labels = evaluation.best_labels();
  if (!best_labels.empty()) answer.best_labels = std::move(best_labels);
  if (parts.labels) answer.per_label = evaluation.label_reports();
  if (parts.confusion) answer.confusion = evaluation.confusion();
}

}  // namespace

Json evaluation_json(const Evaluation& evaluation, const ShownParts& parts,
                     const std::map<std::string, Evaluation>& groups) {
  api::EvaluateAnswer answer;
  fill(evaluation, parts, answer);

  for (const auto& [value, group] : groups) {
    if (!answer.groups) answer.groups.emplace();
    api::GroupReport& report = answer.groups->emplace_back();
    report.value = value;
    static_cast<api::EvaluationReport&>(report) = group.report();
    std::vector<api::BestLabelsReport> best_labels = group.best_labels();
    if (!best_labels.empty()) report.best_labels = std::move(best_labels);
  }
  return object_json(answer, {});
}

api::EvaluateAnswer answer(Asking& asking, const api::EvaluateRequest& asked) {
  constexpr std::uint64_t kStep = 1000;  // documents between two steps
  const Reading& reading = asking.reading();
  const std::uint64_t labeled = reading.mirror().labeled.count();
  if (labeled == 0) throw Error(Errc::kNotFound, asking.index.path + ": no documents with labels");

  ClassifyRequest request = voting_request(asked);
  request.scores = true;
  request.pulse = asking.pulse;
  std::uint64_t done = 0;
  Evaluation evaluation(reading.labels(), asked.at);
  const CrossValidation how{asked.folds, static_cast<std::uint64_t>(asked.seed)};
  reading.cross_validate(how, request, [&](const auto& truth, const Classification& predicted) {
    evaluation.add(truth, predicted);
    if (++done % kStep == 0 || done == labeled) asking.step({"", done, labeled});
  });

  auto answer = asking.answer<api::EvaluateAnswer>();
  fill(evaluation, {asked.per_label, asked.confusion}, answer);
  answer.tuning_unused = asking.reading().unused_tuning();
  return answer;
}

api::GeometryAnswer answer(Asking& asking, const api::GeometryRequest&) {
  return measure_class_geometry(*asking.reading().snapshot, asking.counting(), asking.pulse);
}

}  // namespace kindred
