#include "plugin/evaluate/best_labels.h"

#include <algorithm>
#include <cmath>

namespace kindred {
namespace {

/// What a true label at a place counts, the best one being at place 1.
double gain(std::uint64_t place) { return 1 / std::log2(1 + static_cast<double>(place)); }

}  // namespace

BestLabels::BestLabels(const std::vector<std::int64_t>& ks) {
  for (const std::int64_t k : ks) sums_.push_back({static_cast<std::uint64_t>(k), 0, 0, 0, 0});
}

void BestLabels::add(const std::vector<std::string>& truth, const std::vector<Tag>& scores) {
  if (truth.empty()) return;
  ++documents_;

  for (api::BestLabelsReport& sum : sums_) {
    double right = 0;
    double gained = 0;
    const std::uint64_t end = std::min<std::uint64_t>(sum.k, scores.size());
    for (std::uint64_t place = 1; place <= end; ++place) {
      if (!std::ranges::binary_search(truth, scores[place - 1].label)) continue;
      ++right;
      gained += gain(place);
    }

    double best = 0;
    for (std::uint64_t place = 1; place <= std::min<std::uint64_t>(sum.k, truth.size()); ++place)
      best += gain(place);

    const auto k = static_cast<double>(sum.k);
    const auto all = static_cast<double>(truth.size());
    sum.precision += right / k;
    sum.recall += right / all;
    sum.f1 += 2 * right / (k + all);
    sum.ndcg += gained / best;
  }
}

std::vector<api::BestLabelsReport> BestLabels::reports() const {
  const double documents = std::max(1.0, static_cast<double>(documents_));
  std::vector<api::BestLabelsReport> reports = sums_;
  for (api::BestLabelsReport& report : reports)
    for (double* const measure : {&report.precision, &report.recall, &report.f1, &report.ndcg})
      *measure /= documents;
  return reports;
}

}  // namespace kindred
