#include "plugin/votes/thresholds.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kindred {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kNoFold = std::numeric_limits<std::size_t>::max();

/// Documents by score, descending, then by number.
std::vector<std::uint32_t> ranked(const LabelScores& label) {
  std::vector<std::uint32_t> order(label.scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return label.scores[a] != label.scores[b] ? label.scores[a] > label.scores[b] : a < b;
  });
  return order;
}

/// Calls visit(document) for the documents in this order, without those of one fold.
template <typename Visit>
void each_ranked(const std::vector<std::uint32_t>& order, std::span<const std::uint8_t> fold,
                 std::size_t without, Visit&& visit) {
  for (const std::uint32_t document : order) {
    if (without == kNoFold || fold[document] != without) visit(document);
  }
}

double halfway(double upper, double lower) { return (upper + std::max(lower, 0.0)) / 2; }

/// The best F1 of a label, the score that gives it, and the next lower one.
struct BestCut {
  double f1 = -1, score = 0, next = 0, largest = 0;
};

BestCut best_cut(const LabelScores& label, const std::vector<std::uint32_t>& order,
                 std::span<const std::uint8_t> fold, std::size_t without) {
  double positives = 0;
  each_ranked(order, fold, without, [&](auto d) { positives += label.is_true[d] != 0 ? 1 : 0; });
  BestCut best;
  double right = 0, given = 0, last = 0;
  const auto close = [&](double next) {  // all documents of score `last` are counted
    const double f1 = 2 * right / (given + positives);
    if (last > 0 && f1 > best.f1) best = {f1, last, next, best.largest};
  };
  each_ranked(order, fold, without, [&](std::uint32_t document) {
    const double score = label.scores[document];
    if (given == 0) best.largest = score;
    if (given > 0 && score != last) close(score);
    last = score;
    ++given;
    right += label.is_true[document] != 0 ? 1 : 0;
  });
  if (given > 0) close(0);
  return best;
}

double with_fbr(const BestCut& best, double fbr) {
  if (!(best.largest > 0) || best.f1 < 0) return kNever;
  return best.f1 < fbr ? best.largest : halfway(best.score, best.next);
}

double proportional(const LabelScores& label, const std::vector<std::uint32_t>& order,
                    std::span<const std::uint8_t> fold, std::size_t without) {
  std::size_t positives = 0, rank = 0;
  each_ranked(order, fold, without, [&](auto d) { positives += label.is_true[d] != 0 ? 1 : 0; });
  double score = 0, next = 0;
  each_ranked(order, fold, without, [&](std::uint32_t document) {
    ++rank;
    if (rank == positives) score = label.scores[document];
    if (rank == positives + 1) next = label.scores[document];
  });
  return positives == 0 || !(score > 0) ? kNever : halfway(score, next);
}

}  // namespace

double scut(const LabelScores& label, double fbr) {
  return with_fbr(best_cut(label, ranked(label), {}, kNoFold), fbr);
}

double proportional_cut(const LabelScores& label) {
  return proportional(label, ranked(label), {}, kNoFold);
}

std::vector<double> cross_fitted_scut(const LabelScores& label, std::span<const double> fbrs,
                                      std::span<const std::uint8_t> fold, std::size_t folds) {
  const std::vector<std::uint32_t> order = ranked(label);
  std::vector<double> thresholds(fbrs.size() * (folds + 1));
  for (std::size_t f = 0; f <= folds; ++f) {
    const BestCut best = best_cut(label, order, fold, f == folds ? kNoFold : f);
    for (std::size_t i = 0; i < fbrs.size(); ++i)
      thresholds[i * (folds + 1) + f] = with_fbr(best, fbrs[i]);
  }
  return thresholds;
}

std::vector<double> cross_fitted_proportional_cut(const LabelScores& label,
                                                  std::span<const std::uint8_t> fold,
                                                  std::size_t folds) {
  const std::vector<std::uint32_t> order = ranked(label);
  std::vector<double> thresholds(folds + 1);
  for (std::size_t f = 0; f <= folds; ++f)
    thresholds[f] = proportional(label, order, fold, f == folds ? kNoFold : f);
  return thresholds;
}

}  // namespace kindred
