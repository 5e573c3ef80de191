#include "plugin/evaluate/evaluation.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "gpu/ratio.h"

namespace kindred {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return ratio_or_zero(static_cast<double>(part), static_cast<double>(whole));
}

/// Expects labels in byte order.
bool holds(const std::vector<std::string>& labels, const std::string& label) {
  return std::ranges::binary_search(labels, label);
}

}  // namespace

Evaluation::Evaluation(const std::vector<std::string>& known, const std::vector<std::int64_t>& at)
    : all_labels_(known.begin(), known.end()), best_labels_(at) {}

void Evaluation::add(Truth truth, const Classification& prediction) {
  std::ranges::sort(truth);
  ++documents_;
  for (const std::string& label : truth) ++labels_[label].actual;
  all_labels_.insert(truth.begin(), truth.end());

  count_tags(truth, prediction.tags);
  count_scores(truth, prediction.scores);
  count_best(truth, prediction.best);
}

void Evaluation::count_tags(const Truth& truth, const std::vector<Tag>& tags) {
  std::uint64_t right = 0;
  for (const Tag& tag : tags) {
    Counts& counts = labels_[tag.label];
    ++counts.predicted;
    all_labels_.insert(tag.label);

    if (!holds(truth, tag.label)) continue;
    ++counts.right;
    ++right;
  }

  if (right == truth.size() && right == tags.size()) ++exact_;
}

void Evaluation::count_scores(const Truth& truth, const std::vector<Tag>& scores) {
  ranking_.add(truth, scores);
  best_labels_.add(truth, scores);
  for (const Tag& tag : scores) {
    all_labels_.insert(tag.label);

    const bool right = holds(truth, tag.label);
    ++scored_;
    if (right) ++scored_right_;
    scored_pairs_.add(tag.confidence, right);
  }
}

void Evaluation::count_best(const Truth& truth, const std::optional<Tag>& best) {
  std::string label;  // "": there is no best one
  if (best) {
    const bool right = holds(truth, best->label);
    label = best->label;
    if (right) ++best_right_;
    reliability_.add(best->confidence, right);
  }

  // A matrix of confusions makes sense only where each document has one label.
  single_label_ = single_label_ && truth.size() == 1;
  if (single_label_) ++confused_[truth.front()][label];
}

Evaluation::Counts Evaluation::sum() const {
  Counts all;
  for (const auto& [label, counts] : labels_) {
    all.right += counts.right;
    all.actual += counts.actual;
    all.predicted += counts.predicted;
  }
  return all;
}

Reliability Evaluation::pairs() const {
  Reliability all = scored_pairs_;
  all.add(0, documents_ * all_labels_.size() - scored_, sum().actual - scored_right_);
  return all;
}

std::vector<LabelReport> Evaluation::label_reports() const {
  // F1, the harmonic mean of precision and recall, is 2 right / (actual + predicted).
  std::vector<LabelReport> reports;
  for (const auto& [label, counts] : labels_) {
    reports.push_back({label, counts.actual, counts.predicted, counts.right,
                       share(counts.right, counts.predicted), share(counts.right, counts.actual),
                       share(2 * counts.right, counts.actual + counts.predicted)});
  }
  return reports;
}

EvaluationReport Evaluation::report() const {
  EvaluationReport report;

  // Macro: the mean over labels.
  for (const LabelReport& label : label_reports()) {
    report.macro_precision += label.precision;
    report.macro_recall += label.recall;
    report.macro_f1 += label.f1;
  }
  const double labels = std::max(1.0, static_cast<double>(labels_.size()));
  report.macro_precision /= labels;
  report.macro_recall /= labels;
  report.macro_f1 /= labels;

  // Micro: of all tags.
  const Counts all = sum();
  report.documents = documents_;
  report.labels = labels_.size();
  report.micro_precision = share(all.right, all.predicted);
  report.micro_recall = share(all.right, all.actual);
  report.micro_f1 = share(2 * all.right, all.actual + all.predicted);

  // Of whole documents, and of all pairs of a document and a label.
  report.accuracy = share(best_right_, documents_);
  report.subset_accuracy = share(exact_, documents_);
  report.all_labels = all_labels_.size();
  report.hamming_loss =
      share(all.actual + all.predicted - 2 * all.right, documents_ * report.all_labels);

  // The order of the labels.
  report.one_error = share(documents_ - best_right_, documents_);
  report.coverage_error = ranking_.coverage_error(report.all_labels);
  report.ranking_loss = ranking_.ranking_loss(report.all_labels);
  report.ranking_average_precision = ranking_.average_precision(report.all_labels);

  report.calibration_error = reliability_.error();
  report.calibration_error_by_chance = reliability_.error_by_chance();
  report.pair_calibration_error = pairs().error();
  return report;
}

std::optional<ConfusionMatrix> Evaluation::confusion() const {
  if (!single_label_ || documents_ == 0) return std::nullopt;

  // All labels that are true or taken for it. "" stands for none, which has the last column.
  std::set<std::string> labels;
  for (const auto& [truth, row] : confused_) {
    labels.insert(truth);
    for (const auto& [best, count] : row) labels.insert(best);
  }
  labels.erase("");

  ConfusionMatrix matrix{{labels.begin(), labels.end()}, {}, {}};
  for (const std::string& truth : labels) {
    std::vector<std::uint64_t>& counts = matrix.counts.emplace_back(labels.size() + 1, 0);
    const auto row = confused_.find(truth);
    if (row == confused_.end()) continue;

    for (const auto& [best, count] : row->second) {
      const auto column = best.empty() ? labels.end() : labels.find(best);
      counts[static_cast<std::size_t>(std::distance(labels.begin(), column))] = count;
    }
  }

  matrix.worst = worst_confusions(matrix);
  return matrix;
}

}  // namespace kindred
