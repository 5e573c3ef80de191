#include "plugin/tune/trials/trial_votes.h"

#include <algorithm>
#include <string>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr double kLeastProbability = 1e-7;  // about the smallest step of a float just below 1

constexpr std::size_t kVotesAtOnce = 64;

/// Calls visit(document) for each document, on several threads.
template <typename Visit>
void each_document(const TrialTruth& truth, std::size_t threads, Visit&& visit) {
  const auto visit_chunk = [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) visit(d);
  };
  for_each_chunk(truth.documents, kVotesAtOnce, threads, visit_chunk);
}

/// The row of a document in a row-major matrix with `columns` columns.
template <typename T>
std::span<T> row_of(std::span<T> matrix, std::size_t document, std::size_t columns) {
  return matrix.subspan(document * columns, columns);
}

std::span<const Neighbor> neighbors_of(const LeaveOneOut& known, std::size_t document,
                                       std::int64_t k) {
  return row_of(std::span(known.neighbors), document, known.k).first(static_cast<std::size_t>(k));
}

void narrow(const std::vector<double>& wide, std::span<float> scores) {
  std::transform(wide.begin(), wide.end(), scores.begin(),
                 [](double score) { return static_cast<float>(score); });
}

}  // namespace

std::vector<float> trial_scores(const TaggingMethod& method, const LeaveOneOut& known,
                                const LabelView& labels, const TrialTruth& truth,
                                std::size_t threads) {
  std::vector<float> scores(truth.documents * truth.labels);
  each_document(truth, threads, [&](std::size_t d) {
    std::vector<double> row(truth.labels, 0);
    const auto neighbors = neighbors_of(known, d, method.k);
    switch (method.vote) {
      case VoteKind::kMajority:
      case VoteKind::kSimilarity:
        count_shares(neighbors, labels, similarity_power(method.vote), row);
        break;
      case VoteKind::kBest:
        find_best(neighbors, labels, row);
        break;
      case VoteKind::kCentroid: {
        const auto cosines = row_of(std::span(known.cosines), d, truth.labels);
        std::copy(cosines.begin(), cosines.end(), row.begin());
        break;
      }
      case VoteKind::kProfile: {
        const auto profiles = row_of(std::span(known.profiles), d, truth.labels);
        std::transform(profiles.begin(), profiles.end(), row.begin(), as_probability);
        break;
      }
      case VoteKind::kNearest:
      case VoteKind::kPrototype:
      case VoteKind::kBlend:
      case VoteKind::kUnit:
        throw Error(Errc::kInternal,
                    "tune: no trial of the vote '" + std::string(vote_name(method.vote)) + "'");
    }
    narrow(row, row_of(std::span(scores), d, truth.labels));
  });
  return scores;
}

std::vector<float> trial_features(const TaggingMethod& method, const LeaveOneOut& known,
                                  const LabelView& labels, const TrialTruth& truth,
                                  std::size_t threads) {
  std::vector<float> features(truth.documents * truth.labels * kLabelFeatures);
  each_document(truth, threads, [&](std::size_t d) {
    const auto cosines = row_of(std::span(known.cosines), d, truth.labels);
    const auto profiles = row_of(std::span(known.profiles), d, truth.labels);
    const std::vector<double> wide_cosines(cosines.begin(), cosines.end());
    const std::vector<double> wide_profiles(profiles.begin(), profiles.end());
    std::vector<double> wide_linear;
    if (!known.linear.empty()) {
      const auto linear = row_of(std::span(known.linear), d, truth.labels);
      wide_linear.assign(linear.begin(), linear.end());
    }
    fill_features(neighbors_of(known, d, method.k), labels, wide_cosines, wide_profiles,
                  wide_linear, row_of(std::span(features), d, truth.labels * kLabelFeatures));
  });
  return features;
}

std::vector<float> combined_scores(const Combiner& combiner, std::span<const float> features,
                                   const TrialTruth& truth, std::size_t threads) {
  std::vector<float> scores(truth.documents * truth.labels);
  each_document(truth, threads, [&](std::size_t d) {
    std::vector<double> row(truth.labels);
    combiner.combine(row_of(features, d, truth.labels * kLabelFeatures), row);
    narrow(row, row_of(std::span(scores), d, truth.labels));
  });
  return scores;
}

std::vector<double> combined_losses(const Combiner& combiner, std::span<const float> features,
                                    const TrialTruth& truth, std::size_t threads) {
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
