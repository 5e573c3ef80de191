#include "plugin/evaluate.h"

#include <algorithm>

namespace kindred {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void Evaluation::add(const std::vector<std::string>& truth, const Classification& prediction) {
  const auto is_true = [&](const std::string& label) {
    return std::find(truth.begin(), truth.end(), label) != truth.end();
  };
  ++documents_;
  for (const std::string& label : truth) ++labels_[label].actual;
  for (const Tag& tag : prediction.tags) {
    Counts& counts = labels_[tag.label];
    ++counts.predicted;
    if (is_true(tag.label)) ++counts.right;
  }
  if (prediction.best && is_true(prediction.best->label)) ++best_right_;
}

EvaluationReport Evaluation::report() const {
  // F1, the harmonic mean of precision and recall, is 2 right / (actual + predicted).
  Counts all;
  double f1_sum = 0;
  for (const auto& [label, counts] : labels_) {
    all.right += counts.right;
    all.actual += counts.actual;
    all.predicted += counts.predicted;
    f1_sum += share(2 * counts.right, counts.actual + counts.predicted);
  }
  EvaluationReport report;
  report.documents = documents_;
  report.labels = labels_.size();
  report.micro_precision = share(all.right, all.predicted);
  report.micro_recall = share(all.right, all.actual);
  report.micro_f1 = share(2 * all.right, all.actual + all.predicted);
  report.macro_f1 = labels_.empty() ? 0 : f1_sum / static_cast<double>(labels_.size());
  report.accuracy = share(best_right_, documents_);
  return report;
}

}  // namespace kindred
