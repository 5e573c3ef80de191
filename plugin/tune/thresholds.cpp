#include "plugin/tune/thresholds.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "gpu/ratio.h"
#include "plugin/evaluate/reliability.h"

namespace kindred {
namespace {

constexpr double kFbr = 0.3;
constexpr double kFewDocuments = 10;  // as which the common threshold counts
constexpr double kManyDocuments = 100;
constexpr double kLeastThreshold = 0.1;
constexpr double kLeastScore = 0.02;  // lower ones hardly add to an F1 above the FBR

/// F1 of a label that is right so often, given so often, and that so many documents have; 0 if none
/// has it and it is never given.
double f1(std::uint64_t right, std::uint64_t given, std::uint64_t positives) {
  return ratio_or_zero(2 * static_cast<double>(right), static_cast<double>(given + positives));
}

double share(std::uint64_t part, std::uint64_t whole) {
  return ratio_or_zero(static_cast<double>(part), static_cast<double>(whole));
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

/// The threshold of the best F1.
double cut_for_f1(std::span<const CutCandidate> candidates, std::uint64_t positives) {
  return scut(candidates, positives, 0);
}

/// The lowest threshold above which this share of the candidates is true, or the largest score.
double cut_for_precision(std::span<const CutCandidate> candidates, double precision) {
  if (candidates.empty()) return kOtherThreshold;
  double cut = candidates.front().score;
  double right = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].is_true) ++right;

    const double score = candidates[i].score;
    double next = 0;
    if (i + 1 < candidates.size()) next = candidates[i + 1].score;
    if (score != next && right >= precision * static_cast<double>(i + 1)) cut = (score + next) / 2;
  }
  return std::max(cut, kLeastScore);
}

struct Counts {
  std::uint64_t right = 0;
  std::uint64_t given = 0;
  std::uint64_t positives = 0;
};

/// A threshold by all documents, and for each fold one by the others.
struct Cut {
  double all = 0;
  std::vector<double> without_fold;
};

/// `cut_of(candidates, positives)`: a threshold. `positives`: how many documents of each fold have
/// the label, or any.
template <typename CutOf>
Cut cut_by(std::span<const CutCandidate> candidates, std::span<const std::uint64_t> positives,
           CutOf&& cut_of) {
  const std::uint64_t all = std::accumulate(positives.begin(), positives.end(), std::uint64_t{0});
  Cut cut{cut_of(candidates, all), {}};
  for (std::size_t fold = 0; fold < positives.size(); ++fold) {
    std::vector<CutCandidate> others;
    std::ranges::copy_if(candidates, std::back_inserter(others),
                         [&](const CutCandidate& candidate) {
                           return candidate.fold != fold;
                         });
    cut.without_fold.push_back(cut_of(others, all - positives[fold]));
  }
  return cut;
}

/// What documents get by the thresholds of their folds.
Counts given_by(const Cut& cut, std::span<const CutCandidate> candidates,
                std::span<const std::uint64_t> positives) {
  Counts counts;
  for (const std::uint64_t own : positives) counts.positives += own;
  for (const CutCandidate& candidate : candidates) {
    if (candidate.score < cut.without_fold[candidate.fold] || !candidate.may_be_given) continue;
    ++counts.given;
    if (candidate.is_true) ++counts.right;
  }
  return counts;
}

/// Chooses thresholds.
class Cutter {
 public:
  Cutter(std::span<const float> scores, const Shortlists& lists, const TrueLabels& truth)
      : scores_(scores),
        lists_(lists),
        truth_(truth),
        candidates_(ranked(scores, lists, truth)),
        positives_(truth.labels * truth.folds, 0) {
    for (std::size_t d = 0; d < truth.documents; ++d)
      for (const std::uint32_t label : truth.of(d))
        ++positives_[label * truth.folds + truth.fold[d]];
  }

  /// One of each label.
  LabelCuts by_label(double fbr) const {
    return measured([&](std::uint32_t label) {
      return cut_by(candidates_[label], positives_of(label), [&](auto candidates, auto positives) {
        return scut(candidates, positives, fbr);
      });
    });
  }

  /// One of each label, of which few documents say little: as if so many more documents said what
  /// all labels together say.
  LabelCuts shrunken(double documents) const {
    const Cut middle = common_cut(cut_for_f1);
    LabelCuts cuts = measured([&](std::uint32_t label) {
      Cut cut = cut_by(candidates_[label], positives_of(label), cut_for_f1);
      const auto own = positives_of(label);
      const auto toward_middle = [&](double& own_cut, std::uint64_t positives, double common) {
        const auto n = static_cast<double>(positives);
        own_cut = (n * own_cut + documents * common) / (n + documents);
      };

      const std::uint64_t all = std::accumulate(own.begin(), own.end(), std::uint64_t{0});
      toward_middle(cut.all, all, middle.all);
      for (std::size_t fold = 0; fold < truth_.folds; ++fold)
        toward_middle(cut.without_fold[fold], all - own[fold], middle.without_fold[fold]);
      return cut;
    });
    cuts.other = middle.all;
    return cuts;
  }

  /// The same one for all labels.
  template <typename CutOf>
  LabelCuts common(CutOf&& cut_of) const {
    const Cut cut = common_cut(cut_of);
    LabelCuts cuts = measured([&](std::uint32_t) {
      return cut;
    });
    cuts.other = cut.all;
    return cuts;
  }

  /// None: each document gets so many tags.
  LabelCuts top(std::size_t most) const {
    std::vector<Counts> counts(truth_.labels);
    for (std::uint32_t label = 0; label < truth_.labels; ++label)
      for (const std::uint64_t own : positives_of(label)) counts[label].positives += own;

    for (std::size_t d = 0; d < truth_.documents; ++d) {
      std::vector<std::pair<float, std::uint32_t>> best;
      const auto labels = lists_.labels_of(d);
      const auto own = lists_.of(d, scores_);
      for (std::size_t i = 0; i < labels.size(); ++i)
        if (own[i] > 0) best.emplace_back(-own[i], labels[i]);  // the largest is first

      std::ranges::sort(best);
      if (best.size() > most) best.resize(most);
      for (const auto& [score, label] : best) {
        ++counts[label].given;
        if (truth_.has(d, label)) ++counts[label].right;
      }
    }

    LabelCuts cuts = summed(counts);
    cuts.thresholds.assign(truth_.labels, 0);
    cuts.other = 0;
    return cuts;
  }

 private:
  /// One by the candidates of all labels.
  template <typename CutOf>
  Cut common_cut(CutOf&& cut_of) const {
    std::vector<CutCandidate> all;
    std::vector<std::uint64_t> positives(truth_.folds, 0);
    for (std::uint32_t label = 0; label < truth_.labels; ++label) {
      std::ranges::copy_if(candidates_[label], std::back_inserter(all),
                           &CutCandidate::may_be_given);
      for (std::size_t fold = 0; fold < truth_.folds; ++fold)
        positives[fold] += positives_of(label)[fold];
    }
    std::ranges::stable_sort(all, std::greater(), &CutCandidate::score);

    return cut_by(all, positives, cut_of);
  }

  std::span<const std::uint64_t> positives_of(std::uint32_t label) const {
    return std::span(positives_).subspan(label * truth_.folds, truth_.folds);
  }

  template <typename CutOf>
  LabelCuts measured(CutOf&& cut_of) const {
    std::vector<Counts> counts;
    std::vector<double> thresholds;
    for (std::uint32_t label = 0; label < truth_.labels; ++label) {
      const Cut cut = cut_of(label);
      thresholds.push_back(cut.all);
      counts.push_back(given_by(cut, candidates_[label], positives_of(label)));
    }
    LabelCuts cuts = summed(counts);
    cuts.thresholds = std::move(thresholds);
    return cuts;
  }

  static LabelCuts summed(const std::vector<Counts>& counts) {
    LabelCuts cuts;
    Counts all;
    std::size_t labels = 0;  // that are true or given
    for (const Counts& own : counts) {
      all.right += own.right;
      all.given += own.given;
      all.positives += own.positives;

      if (own.given + own.positives > 0) ++labels;
      cuts.macro_f1 += f1(own.right, own.given, own.positives);
    }
    cuts.micro_f1 = f1(all.right, all.given, all.positives);
    cuts.macro_f1 /= std::max(1.0, static_cast<double>(labels));
    cuts.precision = share(all.right, all.given);
    cuts.recall = share(all.right, all.positives);
    return cuts;
  }

  const std::span<const float> scores_;
  const Shortlists& lists_;
  const TrueLabels& truth_;
  const std::vector<std::vector<CutCandidate>> candidates_;
  std::vector<std::uint64_t> positives_;  // documents of each label and fold, [labels, folds]
};

/// Of several, the one with the largest value, the first of equals.
template <typename Value>
LabelCuts first_best(std::vector<LabelCuts> all, Value&& value) {
  const auto best = std::ranges::max_element(all, {}, value);
  return std::move(*best);
}

}  // namespace

LabelCuts cut_labels(std::span<const float> scores, const Shortlists& lists,
                     const TrueLabels& truth, const TagGoal& goal) {
  const Cutter cutter(scores, lists, truth);
  switch (goal.kind) {
    case TagGoal::kMicro:
      return first_best(
          {cutter.common(cut_for_f1), cutter.shrunken(kManyDocuments), cutter.by_label(kFbr)},
          &LabelCuts::micro_f1);
    case TagGoal::kMacro:
      return first_best({cutter.by_label(0), cutter.by_label(kFbr), cutter.shrunken(kFewDocuments)},
                        &LabelCuts::macro_f1);
    case TagGoal::kPrecision:
      return cutter.common([&](auto candidates, std::uint64_t) {
        return cut_for_precision(candidates, goal.precision);
      });
    case TagGoal::kTop:
      return cutter.top(goal.top);
    case TagGoal::kBalanced:
      break;
  }
  return first_best(
      {cutter.by_label(kFbr), cutter.shrunken(kFewDocuments), cutter.shrunken(kManyDocuments)},
      [](const LabelCuts& cuts) {
        return cuts.micro_f1 + cuts.macro_f1;
      });
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
