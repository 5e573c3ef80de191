#include "plugin/tune/trials/trial_scoring.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "gpu/workers.h"
#include "plugin/evaluate/reliability.h"

namespace kindred {
namespace {

constexpr std::array<double, 5> kFbrs = {0.1, 0.2, 0.3, 0.4, 0.5};

double f1(std::uint64_t right, std::uint64_t actual, std::uint64_t predicted) {
  if (actual + predicted == 0) return 0;
  return 2 * static_cast<double>(right) / static_cast<double>(actual + predicted);
}

/// One label's scores and truth, gathered from the rows.
struct Column {
  std::vector<float> scores;
  std::vector<char> is_true;
  LabelScores view() const { return {scores, is_true}; }
};

constexpr std::size_t kColumnsAtOnce = 16;  // the floats of a cache line

std::vector<Column> columns_of(const TrialTruth& truth, std::span<const float> scores,
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
void each_column(const TrialTruth& truth, std::span<const float> scores, std::size_t threads,
                 Visit&& visit) {
  const auto visit_chunk = [&](std::size_t first, std::size_t last) {
    const std::vector<Column> columns = columns_of(truth, scores, first, last);
    for (std::size_t label = first; label < last; ++label)
      visit(label, columns[label - first].view());
  };
  for_each_chunk(truth.labels, kColumnsAtOnce, threads, visit_chunk);
}

}  // namespace

bool TrialTruth::single_label() const {
  for (std::size_t d = 0; d < documents; ++d) {
    if (of(d).size() != 1) return false;
  }
  return true;
}

std::uint64_t TrialTruth::most_labels() const {
  std::uint64_t most = 0;
  for (std::size_t d = 0; d < documents; ++d) most = std::max<std::uint64_t>(most, of(d).size());
  return most;
}

TrialTruth truth_of(const Mirror& mirror, const FoldedRows& rows) {
  TrialTruth truth;
  truth.documents = rows.rows.size();
  truth.labels = mirror.labels.names.size();
  truth.fold = rows.fold;
  truth.folds = rows.without.size();
  for (const std::uint32_t row : rows.rows) {
    const auto labels = mirror.labels.of(row);
    truth.label.insert(truth.label.end(), labels.begin(), labels.end());
    truth.begin.push_back(truth.label.size());
  }
  return truth;
}

/// Fills in counts[i][label]: i is the index of an FBR, and the last i is PCut.
void TrialScoring::try_label(const LabelScores& column, std::span<const std::uint32_t> best,
                             std::size_t label, double least,
                             std::vector<std::vector<LabelCounts>>& counts) const {
  const std::size_t each = truth_.folds + 1;
  LabelCuts cutting(column, truth_.fold, truth_.folds);
  std::vector<double> cuts = cutting.scut(kFbrs);
  const auto last = cutting.proportional();
  cuts.insert(cuts.end(), last.begin(), last.end());
  for (double& cut : cuts) cut = std::max(cut, least);
  cutting.each_from(*std::min_element(cuts.begin(), cuts.end()), [&](std::uint32_t d) {
    if (single_label_ && best[d] != label) return;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (!(column.scores[d] >= cuts[i * each + truth_.fold[d]])) continue;
      ++counts[i][label].predicted;
      if (column.is_true[d] != 0) ++counts[i][label].right;
    }
  });
}

std::vector<TrialScoring::LabelCounts> TrialScoring::take_best(std::span<const float> scores,
                                                               std::size_t rank) const {
  std::vector<LabelCounts> counts(truth_.labels);
  std::vector<std::uint32_t> order(truth_.labels);
  for (std::size_t d = 0; d < truth_.documents; ++d) {
    const auto row = scores.subspan(d * truth_.labels, truth_.labels);
    std::iota(order.begin(), order.end(), 0);
    const std::size_t taken = std::min(rank, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(taken),
                      order.end(), [&](std::uint32_t a, std::uint32_t b) {
                        return row[a] != row[b] ? row[a] > row[b] : a < b;
                      });
    const auto own = truth_.of(d);
    for (std::size_t i = 0; i < taken && row[order[i]] > 0; ++i) {
      ++counts[order[i]].predicted;
      if (std::binary_search(own.begin(), own.end(), order[i])) ++counts[order[i]].right;
    }
  }
  return counts;
}

CutTrial TrialScoring::measured(CutKind cut, double value,
                                const std::vector<LabelCounts>& counts) const {
  std::vector<std::uint64_t> actual(truth_.labels, 0);
  for (const std::uint32_t label : truth_.label) ++actual[label];
  CutTrial trial{cut, value, 0, 0};
  LabelCounts all;
  std::size_t labels = 0;
  for (std::size_t label = 0; label < truth_.labels; ++label) {
    all.right += counts[label].right;
    all.predicted += counts[label].predicted;
    if (actual[label] + counts[label].predicted == 0) continue;
    ++labels;
    trial.macro_f1 += f1(counts[label].right, actual[label], counts[label].predicted);
  }
  trial.micro_f1 = f1(all.right, truth_.label.size(), all.predicted);
  trial.macro_f1 /= std::max(1.0, static_cast<double>(labels));
  return trial;
}

std::vector<CutTrial> TrialScoring::try_cuts(std::span<const float> scores, double least) const {
  std::vector<std::vector<LabelCounts>> counts(kFbrs.size() + 1,
                                               std::vector<LabelCounts>(truth_.labels));
  std::vector<std::uint32_t> best;
  for (std::size_t d = 0; d < truth_.documents; ++d)
    best.push_back(static_cast<std::uint32_t>(best_of(scores, d)));
  each_column(truth_, scores, threads_, [&](std::size_t label, const LabelScores& column) {
    try_label(column, best, label, least, counts);
  });
  std::vector<CutTrial> trials;
  for (std::size_t i = 0; i < kFbrs.size(); ++i)
    trials.push_back(measured(CutKind::kScut, kFbrs[i], counts[i]));
  trials.push_back(measured(CutKind::kProportional, 0, counts.back()));
  const std::size_t most = single_label_ ? 1 : 2;
  for (std::size_t rank = 1; rank <= most; ++rank)
    trials.push_back(measured(CutKind::kRank, static_cast<double>(rank), take_best(scores, rank)));
  return trials;
}

std::vector<double> TrialScoring::thresholds(std::span<const float> scores, CutKind cut,
                                             double value, double least) const {
  std::vector<double> result(truth_.labels);
  each_column(truth_, scores, threads_, [&](std::size_t label, const LabelScores& column) {
    LabelCuts cutting(column);
    const std::array<double, 1> fbr = {value};
    const auto found = cut == CutKind::kScut ? cutting.scut(fbr) : cutting.proportional();
    result[label] = std::max(found.front(), least);
  });
  return result;
}

std::size_t TrialScoring::best_of(std::span<const float> scores, std::size_t document) const {
  const auto row = scores.subspan(document * truth_.labels, truth_.labels);
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

double TrialScoring::accuracy(std::span<const float> scores) const {
  std::size_t right = 0;
  for (std::size_t d = 0; d < truth_.documents; ++d) {
    const auto own = truth_.of(d);
    if (std::binary_search(own.begin(), own.end(), best_of(scores, d))) ++right;
  }
  return static_cast<double>(right) / std::max(1.0, static_cast<double>(truth_.documents));
}

double TrialScoring::calibration_error(std::span<const float> scores) const {
  Reliability reliability;
  for (std::size_t d = 0; d < truth_.documents; ++d) {
    const auto own = truth_.of(d);
    const std::size_t best = best_of(scores, d);
    reliability.add(scores[d * truth_.labels + best],
                    std::binary_search(own.begin(), own.end(), best));
  }
  return reliability.error();
}

}  // namespace kindred
