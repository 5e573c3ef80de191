#include "plugin/votes/classes/linear_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kindred {
namespace {

constexpr double kQueryStep = 0x1p-36;  // of the weights of a query

}  // namespace

void LinearComparison::compare(const SparseVector& query, std::span<const std::uint32_t> learned) {
  const LinearClassifiers& classifiers = votes_.classifiers();

  std::ranges::fill(sums_, 0);
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const std::uint32_t term = votes_.term_of(query.terms[i]);
    if (term == LinearVotes::kNone) continue;
    const std::int64_t q = std::llrint(query.weights[i] / kQueryStep);
    for (const auto& [label, weight] : classifiers.of(term)) sums_[label] += q * weight;
  }

  const LeftOutFactors& factors = classifiers.left_out;
  for (std::uint32_t own = 0; own < values_.size(); ++own) {
    const double product = static_cast<double>(sums_[own]) * kQueryStep;
    double& value = values_[own];
    value = (product + classifiers.offset[own]) * LinearClassifiers::kUnit;
    if (learned.empty()) continue;

    // By how much the document is on the wrong side, or not far enough on the right one.
    const bool is_own = std::ranges::binary_search(learned, votes_.label_of(own));
    const double y = is_own ? 1 : -1;
    const double factor = is_own ? factors.own : factors.others;
    const double missing = 1 - y * value;
    if (missing > 0) value = y * (1 - factor * missing);
  }
}

double LinearComparison::value(std::uint32_t label) const {
  const std::uint32_t own = votes_.classifier_of(label);
  if (own == LinearVotes::kNone) return std::numeric_limits<double>::quiet_NaN();
  return values_[own];
}

void LinearComparison::append_best(std::size_t most, const StringTable& names,
                                   std::vector<std::uint32_t>& labels) {
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    if (values_[a] != values_[b]) return values_[a] > values_[b];
    return names[votes_.label_of(a)] < names[votes_.label_of(b)];
  };

  // A heap of the best so far, whose front is the last of them. Nearly all others are behind it.
  best_.clear();
  for (std::uint32_t own = 0; own < values_.size(); ++own) {
    if (votes_.label_of(own) == LinearVotes::kNone) continue;
    if (best_.size() == most) {
      if (values_[own] < values_[best_.front()] || !is_before(own, best_.front())) continue;
      std::ranges::pop_heap(best_, is_before);
      best_.pop_back();
    }
    best_.push_back(own);
    std::ranges::push_heap(best_, is_before);
  }
  for (const std::uint32_t own : best_) labels.push_back(votes_.label_of(own));
}

}  // namespace kindred
