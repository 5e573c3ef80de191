#include "plugin/tune/blend_scores.h"

#include <algorithm>
#include <cmath>

#include "gpu/workers.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1
constexpr std::size_t kScoredAtOnce = 64;

/// Calls visit(document) for each document, on several threads.
template <typename Visit>
void each_document(const TrueLabels& truth, std::size_t threads, Visit&& visit) {
  const auto visit_chunk = [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) visit(d);
  };
  for_each_chunk(truth.documents, kScoredAtOnce, threads, visit_chunk);
}

/// The row of a document in a matrix with `columns` columns.
template <typename T>
std::span<T> row_of(std::span<T> matrix, std::size_t document, std::size_t columns) {
  return matrix.subspan(document * columns, columns);
}

}  // namespace

bool TrueLabels::single_label() const {
  for (std::size_t d = 0; d < documents; ++d) {
    if (of(d).size() != 1) return false;
  }
  return true;
}

std::uint64_t TrueLabels::most_labels() const {
  std::uint64_t most = 0;
  for (std::size_t d = 0; d < documents; ++d) most = std::max<std::uint64_t>(most, of(d).size());
  return most;
}

CombinerExamples TrueLabels::first(std::size_t count, std::span<const float> features) const {
  return {count, labels, features.first(count * labels * kLabelFeatures), begin,
          std::span(label).first(begin[count])};
}

TrueLabels true_labels(const Mirror& mirror, const FoldedRows& rows) {
  TrueLabels truth;
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

std::vector<float> features_of(const LeaveOneOut& known, const RowLabels& labels,
                               const TrueLabels& truth, std::size_t threads) {
  std::vector<float> features(truth.documents * truth.labels * kLabelFeatures);
  const auto wide = [&](const std::vector<float>& values, std::size_t document) {
    if (values.empty()) return std::vector<double>();
    const auto row = row_of(std::span(values), document, truth.labels);
    return std::vector<double>(row.begin(), row.end());
  };
  each_document(truth, threads, [&](std::size_t d) {
    fill_features(row_of(std::span(known.neighbors), d, kBlendNeighbors), labels,
                  wide(known.cosines, d), wide(known.profiles, d), wide(known.linear, d),
                  row_of(std::span(features), d, truth.labels * kLabelFeatures));
  });
  return features;
}

std::vector<float> combined_scores(const Combiner& combiner, std::span<const float> features,
                                   const TrueLabels& truth, std::size_t threads) {
  std::vector<float> scores(truth.documents * truth.labels);
  each_document(truth, threads, [&](std::size_t d) {
    std::vector<double> row(truth.labels);
    combiner.combine(row_of(features, d, truth.labels * kLabelFeatures), row);
    std::ranges::transform(row, row_of(std::span(scores), d, truth.labels).begin(),
                           [](double score) { return static_cast<float>(score); });
  });
  return scores;
}

std::vector<double> combined_losses(const Combiner& combiner, std::span<const float> features,
                                    const TrueLabels& truth, std::size_t threads) {
  const std::vector<float> scores = combined_scores(combiner, features, truth, threads);
  std::vector<double> losses(truth.documents, 0);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const auto own = truth.of(d);
    for (std::size_t label = 0; label < truth.labels; ++label) {
      const bool is_true = std::binary_search(own.begin(), own.end(), label);
      if (!is_true && combiner.single_label) continue;
      const double p = scores[d * truth.labels + label];
      losses[d] -= std::log(std::max(is_true ? p : 1 - p, kLeastProbability));
    }
  }
  return losses;
}

}  // namespace kindred
