#include "plugin/tune/thresholds.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "plugin/evaluate/reliability.h"

namespace kindred {
namespace {

constexpr std::array<double, 2> kFbrs = {0.3, 0.1};
constexpr double kLeastThreshold = 0.1;
constexpr double kLeastScore = 0.02;  // lower ones hardly add to an F1 above the FBR

/// F1 of a label that is right so often, given so often, and that so many documents have; 0 if none
/// has it and it is never given.
double f1(std::uint64_t right, std::uint64_t given, std::uint64_t positives) {
  const auto all = static_cast<double>(given + positives);
  return all > 0 ? 2 * static_cast<double>(right) / all : 0;
}

/// The label with the largest score, the first of equals; nothing if none is above 0.
struct BestLabel {
  std::optional<std::uint32_t> label;
  float score = 0;
};
BestLabel best_of(std::span<const float> scores, const Shortlists& lists, std::size_t document) {
  const auto own = lists.of(document, scores);
  const auto best = std::ranges::max_element(own);
  if (best == own.end() || !(*best > 0)) return {};
  return {lists.labels_of(document)[static_cast<std::size_t>(best - own.begin())], *best};
}

/// A score of one label that may count.
struct CutCandidate {
  float score;
  std::uint8_t fold;  ///< of the document
  bool is_true;
  bool may_be_given;
};

/// The candidates of each label, descending.
std::vector<std::vector<CutCandidate>> ranked(std::span<const float> scores,
                                              const Shortlists& lists, const TrueLabels& truth) {
  const bool single_label = truth.single_label();
  std::vector<std::vector<CutCandidate>> candidates(truth.labels);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const BestLabel best = best_of(scores, lists, d);
    const auto labels = lists.labels_of(d);
    const auto own = lists.of(d, scores);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (own[i] < kLeastScore) continue;

      const std::uint32_t label = labels[i];
      candidates[label].push_back(
          {own[i], truth.fold[d], truth.has(d, label), !single_label || label == best.label});
    }
  }

  for (auto& own : candidates) std::ranges::stable_sort(own, std::greater(), &CutCandidate::score);
  return candidates;
}

/// The threshold by descending candidates of a label that so many documents have.
double scut(std::span<const CutCandidate> candidates, std::uint64_t positives, double fbr) {
  double best = -1;
  double cut = 0;
  std::uint64_t right = 0;  // of the candidates so far
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].is_true) ++right;

    // A threshold parts scores that differ.
    const double score = candidates[i].score;
    double next = 0;
    if (i + 1 < candidates.size()) next = candidates[i + 1].score;
    if (score == next || f1(right, i + 1, positives) <= best) continue;

    best = f1(right, i + 1, positives);
    cut = (score + next) / 2;
  }

  // FBR: a label that is told so badly is given to next to none.
  if (best < fbr && !candidates.empty()) cut = candidates.front().score;
  return std::max(cut, kLeastThreshold);
}

struct Counts {
  std::uint64_t right = 0;
  std::uint64_t given = 0;
  std::uint64_t positives = 0;
};

/// What a label's documents of each fold get by a threshold from the others. `positives`: how many
/// documents of each fold have the label.
Counts give(std::span<const CutCandidate> candidates, std::span<const std::uint64_t> positives,
            double fbr) {
  Counts counts;
  for (const std::uint64_t own : positives) counts.positives += own;

  for (std::size_t fold = 0; fold < positives.size(); ++fold) {
    // The threshold comes from the other folds.
    std::vector<CutCandidate> others;
    std::ranges::copy_if(candidates, std::back_inserter(others),
                         [&](const CutCandidate& candidate) {
                           return candidate.fold != fold;
                         });
    const double cut = scut(others, counts.positives - positives[fold], fbr);

    for (const CutCandidate& candidate : candidates) {
      if (candidate.fold != fold || candidate.score < cut || !candidate.may_be_given) continue;

      ++counts.given;
      if (candidate.is_true) ++counts.right;
    }
  }
  return counts;
}

/// `positives`: how many documents of each label and fold have it, [labels, folds].
LabelCuts cut_by(double fbr, std::span<const std::vector<CutCandidate>> candidates,
                 std::span<const std::uint64_t> positives) {
  const std::size_t folds = positives.size() / candidates.size();
  LabelCuts cuts;
  Counts all;
  std::size_t labels = 0;  // that are true or given
  for (std::size_t label = 0; label < candidates.size(); ++label) {
    const Counts own = give(candidates[label], positives.subspan(label * folds, folds), fbr);
    cuts.thresholds.push_back(scut(candidates[label], own.positives, fbr));

    all.right += own.right;
    all.given += own.given;
    all.positives += own.positives;

    if (own.given + own.positives > 0) ++labels;
    cuts.macro_f1 += f1(own.right, own.given, own.positives);
  }

  cuts.micro_f1 = f1(all.right, all.given, all.positives);
  cuts.macro_f1 /= std::max(1.0, static_cast<double>(labels));
  return cuts;
}

}  // namespace

LabelCuts cut_labels(std::span<const float> scores, const Shortlists& lists,
                     const TrueLabels& truth) {
  // How many documents of each label and fold have it.
  std::vector<std::uint64_t> positives(truth.labels * truth.folds, 0);
  for (std::size_t d = 0; d < truth.documents; ++d)
    for (const std::uint32_t label : truth.of(d)) ++positives[label * truth.folds + truth.fold[d]];

  const std::vector<std::vector<CutCandidate>> candidates = ranked(scores, lists, truth);
  LabelCuts first = cut_by(kFbrs[0], candidates, positives);
  LabelCuts second = cut_by(kFbrs[1], candidates, positives);

  // Ties go to the first.
  const auto sum = [](const LabelCuts& cuts) {
    return cuts.micro_f1 + cuts.macro_f1;
  };
  return sum(second) > sum(first) ? std::move(second) : std::move(first);
}

std::vector<std::uint8_t> best_is_true(std::span<const float> scores, const Shortlists& lists,
                                       const TrueLabels& truth) {
  std::vector<std::uint8_t> right;
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const BestLabel best = best_of(scores, lists, d);
    right.push_back(best.label && truth.has(d, *best.label) ? 1 : 0);
  }
  return right;
}

void measure_best(std::span<const float> scores, const Shortlists& lists, const TrueLabels& truth,
                  TuningScores& measured) {
  Reliability reliability;
  double right = 0;

  const std::vector<std::uint8_t> is_right = best_is_true(scores, lists, truth);
  for (std::size_t d = 0; d < truth.documents; ++d) {
    reliability.add(best_of(scores, lists, d).score, is_right[d] != 0);
    right += is_right[d];
  }

  measured.accuracy = right / static_cast<double>(truth.documents);
  measured.calibration_error = reliability.error();
}

}  // namespace kindred
