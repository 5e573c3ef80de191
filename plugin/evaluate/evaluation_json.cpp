#include "plugin/evaluate/evaluation_json.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "plugin/evaluate/confusions.h"

namespace kindred {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const EvaluationReport& report, double seconds) {
  return {{"documents", report.documents},
          {"labels", report.labels},
          {"micro_precision", report.micro_precision},
          {"micro_recall", report.micro_recall},
          {"micro_f1", report.micro_f1},
          {"macro_f1", report.macro_f1},
          {"accuracy", report.accuracy},
          {"seconds", seconds},
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
  Json list = Json::array();
  for (const LabelReport& label : labels) {
    list.push_back({{"label", label.label},
                    {"support", label.support},
                    {"predicted", label.predicted},
                    {"right", label.right},
                    {"precision", label.precision},
                    {"recall", label.recall},
                    {"f1", label.f1}});
  }
  return list;
}

Json to_json(const std::optional<ConfusionMatrix>& matrix) {
  if (!matrix) return {};
  Json worst = Json::array();
  for (const Confusion& confusion : worst_confusions(*matrix)) {
    worst.push_back({{"label", confusion.label},
                     {"taken_for", confusion.taken_for ? Json(*confusion.taken_for) : Json()},
                     {"documents", confusion.documents},
                     {"share", confusion.share}});
  }
  return {{"labels", matrix->labels}, {"counts", matrix->counts}, {"worst", std::move(worst)}};
}

Json to_json(const std::array<ReliabilityBin, 10>& bins) {
  Json list = Json::array();
  for (const ReliabilityBin& bin : bins) {
    list.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"documents", bin.documents},
                    {"confidence", bin.confidence},
                    {"accuracy", bin.accuracy}});
  }
  return list;
}

/// A number, or null for NaN.
Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

}  // namespace

Json evaluation_json(const Evaluation& evaluation, double seconds, const ShownParts& parts) {
  Json object = to_json(evaluation.report(), seconds);
  object["reliability"] = to_json(evaluation.reliability());
  object["pair_reliability"] = to_json(evaluation.pair_reliability());
  if (parts.labels) object["per_label"] = to_json(evaluation.label_reports());
  if (parts.confusion) object["confusion"] = to_json(evaluation.confusion());
  return object;
}

Json class_geometry_json(const ClassGeometry& geometry) {
  Json distances = Json::array();
  for (const std::vector<double>& row : geometry.mean_square_distance) {
    Json cells = Json::array();
    for (const double cell : row) cells.push_back(number(cell));
    distances.push_back(std::move(cells));
  }
  return {{"labels", geometry.labels},
          {"documents", geometry.documents},
          {"mean_square_distance", std::move(distances)},
          {"nearest", geometry.nearest},
          {"intra", number(geometry.intra)},
          {"inter", number(geometry.inter)},
          {"informativeness", number(geometry.informativeness)}};
}

}  // namespace kindred
