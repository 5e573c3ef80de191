#include "plugin/tune/thresholds.h"

#include <algorithm>
#include <limits>

namespace kindred {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kSortedFirst = 64;

double halfway(double upper, double lower) { return (upper + lower) / 2; }

}  // namespace

double f1(std::uint64_t right, std::uint64_t given, std::uint64_t positives) {
  if (given + positives == 0) return 0;
  return 2 * static_cast<double>(right) / static_cast<double>(given + positives);
}

RankedScores::RankedScores(std::span<const float> scores) : scores_(scores) {
  for (std::uint32_t document = 0; document < scores.size(); ++document) {
    if (scores[document] > 0) order_.push_back(document);
  }
}

void RankedScores::sort_to(std::size_t rank) {
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
  };
  const std::size_t wanted = std::max({rank + 1, 2 * sorted_, kSortedFirst});
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  sorted_ = std::min(wanted, order_.size());
  const auto last = order_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  if (last != order_.end()) std::nth_element(first, last, order_.end(), is_before);
  std::sort(first, last, is_before);
}

/// The best F1 of a label, the score that gives it, and the next lower one.
struct LabelCuts::BestCut {
  double f1 = -1, score = 0, next = 0, largest = 0;

  double with_fbr(double fbr) const {
    if (f1 < 0) return kNever;
    return f1 < fbr ? largest : halfway(score, next);
  }
};

LabelCuts::LabelCuts(const LabelScores& label, std::span<const std::uint8_t> fold,
                     std::size_t folds)
    : label_(label), fold_(fold), ranked_(label.scores), positives_(folds + 1, 0) {
  for (std::size_t document = 0; document < label.is_true.size(); ++document) {
    if (label.is_true[document] == 0) continue;
    ++positives_[folds];
    if (folds > 0) ++positives_[fold[document]];
  }
  for (std::size_t f = 0; f < folds; ++f) positives_[f] = positives_[folds] - positives_[f];
}

/// Stops where no lower score can give a better F1, even if it found all documents that have the
/// label.
LabelCuts::BestCut LabelCuts::best_cut(std::size_t without) {
  const std::uint64_t positives = positives_[without];
  BestCut best;
  std::uint64_t right = 0, given = 0;
  double last = 0;
  const auto close = [&](double next) {  // all documents of score `last` are counted
    const double found = f1(right, given, positives);
    if (found > best.f1) best = {found, last, next, best.largest};
    return f1(positives, given + 1, positives) <= best.f1;
  };
  for (std::size_t rank = 0; rank < ranked_.size(); ++rank) {
    const std::uint32_t document = ranked_.at(rank);
    if (is_left_out(document, without)) continue;
    const double score = label_.scores[document];
    if (given == 0) best.largest = score;
    if (given > 0 && score != last && close(score)) return best;
    last = score;
    ++given;
    right += label_.is_true[document] != 0 ? 1 : 0;
  }
  if (given > 0) close(0);
  return best;
}

std::vector<double> LabelCuts::scut(std::span<const double> fbrs) {
  const std::size_t each = positives_.size();
  std::vector<double> thresholds(fbrs.size() * each);
  for (std::size_t f = 0; f < each; ++f) {
    const BestCut best = best_cut(f);
    for (std::size_t i = 0; i < fbrs.size(); ++i) thresholds[i * each + f] = best.with_fbr(fbrs[i]);
  }
  return thresholds;
}

}  // namespace kindred
