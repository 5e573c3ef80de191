#include "plugin/evaluate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <tuple>

namespace kindred {
namespace {

double mean(double sum, std::uint64_t documents) {
  return documents == 0 ? 0 : sum / static_cast<double>(documents);
}

/// E|X - np|, where X is the number of successes in n trials of probability p.
double mean_deviation(double n, double p) {
  if (!(p > 0 && p < 1)) return 0;
  const double k = std::min(std::floor(n * p) + 1, n);
  const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return 2 * k * std::exp(ways + k * std::log(p) + (n - k + 1) * std::log1p(-p));
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Expects labels in byte order.
bool holds(const std::vector<std::string>& labels, const std::string& label) {
  return std::ranges::binary_search(labels, label);
}

}  // namespace

void LabelRanking::add(const std::vector<std::string>& truth, const std::vector<Tag>& scores) {
  const auto is_true = [&](const Tag& tag) { return holds(truth, tag.label); };
  RankingSums& sums = by_true_labels_[truth.size()];
  std::uint64_t ranked = 0;      // labels of at least the score in question
  std::uint64_t true_found = 0;  // the true ones of them
  std::uint64_t deepest = 0;
  for (auto first = scores.begin(); first != scores.end() && first->confidence > 0;) {
    const auto last = std::find_if(
        first, scores.end(), [&](const Tag& tag) { return tag.confidence != first->confidence; });
    const auto tied = static_cast<std::uint64_t>(std::count_if(first, last, is_true));
    ranked += static_cast<std::uint64_t>(last - first);
    true_found += tied;
    sums.misordered += tied * (ranked - true_found);
    sums.precision += static_cast<double>(tied * true_found) / static_cast<double>(ranked);
    if (tied > 0) deepest = ranked;
    first = last;
  }
  sums.unscored += truth.size() - true_found;
  ++sums.documents;
  ++documents_;
  if (true_found == truth.size()) {
    covered_ += deepest;
  } else {
    ++uncovered_;
  }
}

double LabelRanking::coverage_error(std::uint64_t columns) const {
  return mean(static_cast<double>(covered_ + uncovered_ * columns), documents_);
}

double LabelRanking::ranking_loss(std::uint64_t columns) const {
  double sum = 0;
  for (const auto& [size, sums] : by_true_labels_) {
    if (size == 0 || size >= columns) continue;
    // A true label without a score comes after every false one.
    const std::uint64_t wrong = sums.misordered + sums.unscored * (columns - size);
    sum += static_cast<double>(wrong) / static_cast<double>(size * (columns - size));
  }
  return mean(sum, documents_);
}

double LabelRanking::average_precision(std::uint64_t columns) const {
  double sum = 0;
  for (const auto& [size, sums] : by_true_labels_) {
    if (size == 0 || size >= columns) {
      sum += static_cast<double>(sums.documents);
      continue;
    }
    // All labels have at least score 0, and so have all true ones.
    sum += sums.precision / static_cast<double>(size) +
           static_cast<double>(sums.unscored) / static_cast<double>(columns);
  }
  return mean(sum, documents_);
}

void Reliability::add(double confidence, std::uint64_t documents, std::uint64_t right) {
  const double place = std::ceil(confidence * 10) - 1;
  Sum& sum = sums_[static_cast<std::size_t>(std::clamp(place, 0.0, 9.0))];
  sum.documents += documents;
  sum.confidence += confidence * static_cast<double>(documents);
  sum.right += right;
}

std::array<ReliabilityBin, 10> Reliability::bins() const {
  std::array<ReliabilityBin, 10> bins;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double documents = std::max(1.0, static_cast<double>(sums_[i].documents));
    bins[i] = {static_cast<double>(i) / 10, static_cast<double>(i + 1) / 10, sums_[i].documents,
               sums_[i].confidence / documents, static_cast<double>(sums_[i].right) / documents};
  }
  return bins;
}

double Reliability::error() const {
  double sum = 0, documents = 0;
  for (const ReliabilityBin& bin : bins()) {
    documents += static_cast<double>(bin.documents);
    sum += static_cast<double>(bin.documents) * std::abs(bin.confidence - bin.accuracy);
  }
  return documents > 0 ? sum / documents : 0;
}

double Reliability::error_by_chance() const {
  double sum = 0, documents = 0;
  for (const ReliabilityBin& bin : bins()) {
    const auto in_bin = static_cast<double>(bin.documents);
    documents += in_bin;
    if (in_bin > 0) sum += mean_deviation(in_bin, bin.confidence);
  }
  return documents > 0 ? sum / documents : 0;
}

Evaluation::Evaluation(const std::vector<std::string>& known)
    : all_labels_(known.begin(), known.end()) {}

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
  for (const Tag& tag : scores) {
    all_labels_.insert(tag.label);
    const bool right = holds(truth, tag.label);
    ++scored_;
    if (right) ++scored_right_;
    scored_pairs_.add(tag.confidence, right);
  }
}

void Evaluation::count_best(const Truth& truth, const std::optional<Tag>& best) {
  if (best && holds(truth, best->label)) ++best_right_;
  if (best) reliability_.add(best->confidence, holds(truth, best->label));
  single_label_ = single_label_ && truth.size() == 1;
  if (single_label_) ++confused_[truth.front()][best ? best->label : ""];
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
  const Counts all = sum();
  for (const LabelReport& label : label_reports()) {
    report.macro_precision += label.precision;
    report.macro_recall += label.recall;
    report.macro_f1 += label.f1;
  }
  const double labels = std::max(1.0, static_cast<double>(labels_.size()));
  report.macro_precision /= labels;
  report.macro_recall /= labels;
  report.macro_f1 /= labels;
  report.documents = documents_;
  report.labels = labels_.size();
  report.micro_precision = share(all.right, all.predicted);
  report.micro_recall = share(all.right, all.actual);
  report.micro_f1 = share(2 * all.right, all.actual + all.predicted);
  report.accuracy = share(best_right_, documents_);
  report.subset_accuracy = share(exact_, documents_);
  report.all_labels = all_labels_.size();
  report.hamming_loss =
      share(all.actual + all.predicted - 2 * all.right, documents_ * report.all_labels);
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

std::vector<Confusion> worst_confusions(const ConfusionMatrix& matrix) {
  const std::size_t labels = matrix.labels.size();
  std::vector<Confusion> found;
  for (std::size_t row = 0; row < labels; ++row) {
    const auto& counts = matrix.counts[row];
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    for (std::size_t column = 0; column < counts.size(); ++column) {
      if (column == row || counts[column] == 0) continue;
      Confusion confusion{matrix.labels[row], {}, counts[column], 0};
      if (column < labels) confusion.taken_for = matrix.labels[column];
      confusion.share = static_cast<double>(counts[column]) / static_cast<double>(all);
      found.push_back(std::move(confusion));
    }
  }
  std::ranges::sort(found, [](const Confusion& a, const Confusion& b) {
    return std::tie(b.documents, b.share, a.label, a.taken_for) <
           std::tie(a.documents, a.share, b.label, b.taken_for);
  });
  return found;
}

}  // namespace kindred
