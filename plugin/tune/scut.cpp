#include "plugin/tune/scut.h"

#include <algorithm>
#include <array>

#include "gpu/workers.h"
#include "plugin/evaluate/reliability.h"
#include "plugin/tune/thresholds.h"

namespace kindred {
namespace {

constexpr std::array<double, 2> kFbrs = {0.3, 0.1};
constexpr std::size_t kColumnsAtOnce = 16;  // the floats of a cache line

std::size_t best_of(std::span<const float> scores, const TrueLabels& truth, std::size_t document) {
  const auto row = scores.subspan(document * truth.labels, truth.labels);
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

bool is_right(const TrueLabels& truth, std::size_t document, std::size_t label) {
  const auto own = truth.of(document);
  return std::binary_search(own.begin(), own.end(), label);
}

/// One label's scores and truth, gathered from the rows.
struct Column {
  std::vector<float> scores;
  std::vector<char> is_true;
  LabelScores view() const { return {scores, is_true}; }
};

std::vector<Column> columns_of(std::span<const float> scores, const TrueLabels& truth,
                               std::size_t first, std::size_t last) {
  std::vector<Column> columns(last - first);
  for (Column& column : columns) {
    column.scores.resize(truth.documents);
    column.is_true.resize(truth.documents);
  }
  for (std::size_t d = 0; d < truth.documents; ++d) {
    for (std::size_t label = first; label < last; ++label)
      columns[label - first].scores[d] = scores[d * truth.labels + label];
    for (const std::uint32_t label : truth.of(d)) {
      if (label >= first && label < last) columns[label - first].is_true[d] = 1;
    }
  }
  return columns;
}

/// Calls visit(label, column) for every label, on several threads.
template <typename Visit>
void each_column(std::span<const float> scores, const TrueLabels& truth, std::size_t threads,
                 Visit&& visit) {
  const auto visit_chunk = [&](std::size_t first, std::size_t last) {
    const std::vector<Column> columns = columns_of(scores, truth, first, last);
    for (std::size_t label = first; label < last; ++label)
      visit(label, columns[label - first].view());
  };
  for_each_chunk(truth.labels, kColumnsAtOnce, threads, visit_chunk);
}

/// How often a label is given, and how often that is right, with each FBR.
struct GivenLabel {
  std::array<std::uint64_t, kFbrs.size()> right{}, predicted{};
};

GivenLabel give(const LabelScores& column, const TrueLabels& truth,
                std::span<const std::size_t> best, std::size_t label) {
  GivenLabel given;
  const std::size_t each = truth.folds + 1;
  LabelCuts cutting(column, truth.fold, truth.folds);
  std::vector<double> cuts = cutting.scut(kFbrs);
  for (double& cut : cuts) cut = std::max(cut, kLeastConfidence);
  cutting.each_from(std::ranges::min(cuts), [&](std::uint32_t d) {
    if (!best.empty() && best[d] != label) return;
    for (std::size_t i = 0; i < kFbrs.size(); ++i) {
      if (!(column.scores[d] >= cuts[i * each + truth.fold[d]])) continue;
      ++given.predicted[i];
      if (column.is_true[d] != 0) ++given.right[i];
    }
  });
  return given;
}

ScutScores scores_of(std::size_t i, std::span<const GivenLabel> given, const TrueLabels& truth) {
  std::vector<std::uint64_t> actual(truth.labels, 0);
  for (const std::uint32_t label : truth.label) ++actual[label];
  ScutScores scores{kFbrs[i], 0, 0};
  std::uint64_t right = 0, predicted = 0;
  std::size_t labels = 0;
  for (std::size_t label = 0; label < truth.labels; ++label) {
    right += given[label].right[i];
    predicted += given[label].predicted[i];
    if (actual[label] + given[label].predicted[i] == 0) continue;
    ++labels;
    scores.macro_f1 += f1(given[label].right[i], actual[label], given[label].predicted[i]);
  }
  scores.micro_f1 = f1(right, truth.label.size(), predicted);
  scores.macro_f1 /= std::max(1.0, static_cast<double>(labels));
  return scores;
}

}  // namespace

ScutScores measure_scut(std::span<const float> scores, const TrueLabels& truth,
                        std::size_t threads) {
  std::vector<std::size_t> best;  // of each document, if it gets no other
  const std::size_t single = truth.single_label() ? truth.documents : 0;
  for (std::size_t d = 0; d < single; ++d) best.push_back(best_of(scores, truth, d));
  std::vector<GivenLabel> given(truth.labels);
  each_column(scores, truth, threads, [&](std::size_t label, const LabelScores& column) {
    given[label] = give(column, truth, best, label);
  });
  const ScutScores first = scores_of(0, given, truth), second = scores_of(1, given, truth);
  const auto mean_f1 = [](const ScutScores& of) { return of.micro_f1 + of.macro_f1; };
  return mean_f1(second) > mean_f1(first) ? second : first;
}

std::vector<double> scut_thresholds(std::span<const float> scores, double fbr,
                                    const TrueLabels& truth, std::size_t threads) {
  std::vector<double> result(truth.labels);
  each_column(scores, truth, threads, [&](std::size_t label, const LabelScores& column) {
    result[label] = std::max(LabelCuts(column).scut(std::span(&fbr, 1)).front(), kLeastConfidence);
  });
  return result;
}

double accuracy_of(std::span<const float> scores, const TrueLabels& truth) {
  std::size_t right = 0;
  for (std::size_t d = 0; d < truth.documents; ++d)
    right += is_right(truth, d, best_of(scores, truth, d)) ? 1 : 0;
  return static_cast<double>(right) / std::max(1.0, static_cast<double>(truth.documents));
}

double calibration_error_of(std::span<const float> scores, const TrueLabels& truth) {
  Reliability reliability;
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const std::size_t best = best_of(scores, truth, d);
    reliability.add(scores[d * truth.labels + best], is_right(truth, d, best));
  }
  return reliability.error();
}

}  // namespace kindred
