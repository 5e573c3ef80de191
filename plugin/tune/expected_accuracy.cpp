#include "plugin/tune/expected_accuracy.h"

#include <algorithm>
#include <cmath>

namespace kindred {
namespace {

constexpr double kMostApart = 0.1;    // what is expected at least and at most
constexpr double kNineOfTen = 1.645;  // standard errors within which so many lie

}  // namespace

std::optional<ExpectedAccuracy> expected_accuracy(const TuneReport& report) {
  if (report.alone == 1) return {};

  // At most what was measured, by documents of which a label can be told; at least what is left of
  // it where the worst of what lessens it holds.
  const double measured = report.tuning.scores.accuracy + report.gain;
  const double most = std::min(measured / (1 - report.alone), 1.0);
  const double less = std::max({report.drift, report.siblings, most - measured});
  const double least = std::max(most - less, 0.0);
  const double middle = (least + std::min(most, least + kMostApart)) / 2;

  // So few documents tell no better. What all were right or wrong in may have been one more.
  const auto documents = static_cast<double>(report.tuning.scores.documents);
  const double error = std::sqrt((middle * (1 - middle) + 1 / documents) / documents);
  const double apart = std::min((most - least) / 2 + kNineOfTen * error, kMostApart / 2);
  return {{std::max(middle - apart, 0.0), std::min(middle + apart, 1.0)}};
}

}  // namespace kindred
