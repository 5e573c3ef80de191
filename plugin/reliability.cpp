#include "plugin/reliability.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kindred {

void Reliability::add(double confidence, bool right) {
  const double place = std::ceil(confidence * 10) - 1;
  Sum& sum = sums_[static_cast<std::size_t>(std::clamp(place, 0.0, 9.0))];
  ++sum.documents;
  sum.confidence += confidence;
  if (right) ++sum.right;
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
  double sum = 0, documents = 0;
  for (const ReliabilityBin& bin : bins()) {
    documents += static_cast<double>(bin.documents);
    sum += static_cast<double>(bin.documents) * std::abs(bin.confidence - bin.accuracy);
  }
  return documents > 0 ? sum / documents : 0;
}

}  // namespace kindred
