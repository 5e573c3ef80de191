// The questions about the quality of labels.
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "plugin/ask/asking.h"
#include "plugin/evaluate/evaluate.h"

namespace kindred {
namespace {

Json to_json(const EvaluationReport& report) {
  return {{"documents", report.documents},
          {"labels", report.labels},
          {"micro_precision", report.micro_precision},
          {"micro_recall", report.micro_recall},
          {"micro_f1", report.micro_f1},
          {"macro_f1", report.macro_f1},
          {"accuracy", report.accuracy},
          {"macro_precision", report.macro_precision},
          {"macro_recall", report.macro_recall},
          {"subset_accuracy", report.subset_accuracy},
          {"all_labels", report.all_labels},
          {"hamming_loss", report.hamming_loss},
          {"one_error", report.one_error},
          {"coverage_error", report.coverage_error},
          {"ranking_loss", report.ranking_loss},
          {"ranking_average_precision", report.ranking_average_precision},
          {"calibration_error", report.calibration_error},
          {"calibration_error_by_chance", report.calibration_error_by_chance},
          {"pair_calibration_error", report.pair_calibration_error}};
}

Json to_json(const std::vector<LabelReport>& labels) {
  return list_of(labels, [](const LabelReport& label) -> Json {
    return {{"label", written_name(label.label)},
            {"support", label.support},
            {"predicted", label.predicted},
            {"right", label.right},
            {"precision", label.precision},
            {"recall", label.recall},
            {"f1", label.f1}};
  });
}

Json to_json(const std::optional<ConfusionMatrix>& matrix) {
  if (!matrix) return {};
  Json worst = list_of(worst_confusions(*matrix), [](const Confusion& confusion) -> Json {
    return {{"label", written_name(confusion.label)},
            {"taken_for", confusion.taken_for ? Json(written_name(*confusion.taken_for)) : Json()},
            {"documents", confusion.documents},
            {"share", confusion.share}};
  });
  return {{"labels", names_json(matrix->labels)},
          {"counts", matrix->counts},
          {"worst", std::move(worst)}};
}

Json to_json(const std::array<ReliabilityBin, 10>& bins) {
  return list_of(bins, [](const ReliabilityBin& bin) -> Json {
    return {{"low", bin.low},
            {"high", bin.high},
            {"documents", bin.documents},
            {"confidence", bin.confidence},
            {"accuracy", bin.accuracy}};
  });
}

}  // namespace

Json evaluation_json(const Evaluation& evaluation, const ShownParts& parts) {
  Json object = to_json(evaluation.report());
  object["reliability"] = to_json(evaluation.reliability());
  object["pair_reliability"] = to_json(evaluation.pair_reliability());
  if (parts.labels) object["per_label"] = to_json(evaluation.label_reports());
  if (parts.confusion) object["confusion"] = to_json(evaluation.confusion());
  return object;
}

Json answer_evaluate(Asking& asking) {
  constexpr std::uint64_t kStep = 1000;  // documents between two steps
  const Engine& engine = asking.reading();
  const Status status = engine.status();
  if (status.labeled == 0)
    throw Error(Errc::kNotFound, asking.index.path + ": no documents with labels");
  CrossValidation how;
  asking.read("folds", how.folds);
  asking.read("seed", how.seed);
  ClassifyRequest request = classify_request(asking.request);
  request.scores = true;
  request.pulse = asking.pulse;
  std::uint64_t done = 0;
  Evaluation evaluation(engine.labels());
  engine.cross_validate(how, request, [&](const auto& truth, const Classification& predicted) {
    evaluation.add(truth, predicted);
    if (++done % kStep == 0 || done == status.labeled) asking.step({"", done, status.labeled});
  });
  Json answer = evaluation_json(evaluation, {asking.flag("per_label"), asking.flag("confusion")});
  add_unused_tuning(asking, answer);
  return answer;
}

Json answer_geometry(Asking& asking) {
  const ClassGeometry geometry = asking.reading().class_geometry(asking.counting(), asking.pulse);
  Json distances = list_of(geometry.mean_square_distance, [&](const std::vector<double>& row) {
    asking.pulse();
    return list_of(row, number_json);
  });
  return {{"labels", names_json(geometry.labels)},
          {"documents", geometry.documents},
          {"mean_square_distance", std::move(distances)},
          {"nearest", geometry.nearest},
          {"intra", number_json(geometry.intra)},
          {"inter", number_json(geometry.inter)},
          {"informativeness", number_json(geometry.informativeness)}};
}

}  // namespace kindred
