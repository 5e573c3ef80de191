#include "plugin/evaluate/reliability.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gpu/ratio.h"

namespace kindred {
namespace {

/// E|X - np|, where X is the number of successes in n trials of probability p.
double mean_deviation(double n, double p) {
  if (!(p > 0 && p < 1)) return 0;

  const double k = std::min(std::floor(n * p) + 1, n);
  const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return 2 * k * std::exp(ways + k * std::log(p) + (n - k + 1) * std::log1p(-p));
}

}  // namespace

void Reliability::add(double confidence, std::uint64_t documents, std::uint64_t right) {
  const double place = std::ceil(confidence * 10) - 1;
  Sum& sum = sums_[static_cast<std::size_t>(std::clamp(place, 0.0, 9.0))];
  sum.documents += documents;
  sum.confidence += confidence * static_cast<double>(documents);
  sum.right += right;
}

std::array<ReliabilityBin, 10> Reliability::bins() const {
  std::array<ReliabilityBin, 10> bins;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double documents = std::max(1.0, static_cast<double>(sums_[i].documents));
    bins[i] = {static_cast<double>(i) / 10, static_cast<double>(i + 1) / 10, sums_[i].documents,
               sums_[i].confidence / documents, static_cast<double>(sums_[i].right) / documents};
  }
  return bins;
}

double Reliability::error() const {
  double sum = 0;
  double documents = 0;
  for (const ReliabilityBin& bin : bins()) {
    documents += static_cast<double>(bin.documents);
    sum += static_cast<double>(bin.documents) * std::abs(bin.confidence - bin.accuracy);
  }
  return ratio_or_zero(sum, documents);
}

double Reliability::error_by_chance() const {
  double sum = 0;
  double documents = 0;
  for (const ReliabilityBin& bin : bins()) {
    const auto in_bin = static_cast<double>(bin.documents);
    documents += in_bin;
    if (in_bin > 0) sum += mean_deviation(in_bin, bin.confidence);
  }
  return ratio_or_zero(sum, documents);
}

}  // namespace kindred
