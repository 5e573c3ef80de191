#include "plugin/evaluate/label_ranking.h"

#include <algorithm>

#include "gpu/ratio.h"

namespace kindred {
namespace {

double mean(double sum, std::uint64_t documents) {
  return ratio_or_zero(sum, static_cast<double>(documents));
}

}  // namespace

void LabelRanking::add(const std::vector<std::string>& truth, const std::vector<Tag>& scores) {
  const auto is_true = [&](const Tag& tag) {
    return std::ranges::binary_search(truth, tag.label);
  };
  RankingSums& sums = by_true_labels_[truth.size()];
  std::uint64_t ranked = 0;      // labels of at least the score in question
  std::uint64_t true_found = 0;  // the true ones of them
  std::uint64_t deepest = 0;

  // From the best score down, all labels of one score at once. Those of score 0 have none.
  auto first = scores.begin();
  while (first != scores.end() && first->confidence > 0) {
    const auto is_lower = [&](const Tag& tag) {
      return tag.confidence != first->confidence;
    };
    const auto last = std::find_if(first, scores.end(), is_lower);
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

  // If a true label has no score, it takes all labels, whose number is not known yet.
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

}  // namespace kindred
