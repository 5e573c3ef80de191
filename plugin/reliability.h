#pragma once

#include <array>
#include <cstdint>

#include "config/api.h"

namespace kindred {

/// Documents whose best label had about the same confidence.
struct ReliabilityBin {
  double low = 0, high = 0;  ///< confidences in (low, high]; the first one also 0
  std::uint64_t documents = 0;
  double confidence = 0;  ///< mean
  double accuracy = 0;    ///< share of documents whose best label is true
};

/// Whether confidences are probabilities: ten bins of equal width.
class KINDRED_API Reliability {
 public:
  void add(double confidence, bool right);

  std::array<ReliabilityBin, 10> bins() const;

  /// Expected calibration error (Guo et al. 2017): the mean over documents of how far their bin's
  /// mean confidence is from its accuracy. 0 without documents.
  double error() const;

 private:
  struct Sum {
    std::uint64_t documents = 0, right = 0;
    double confidence = 0;
  };
  std::array<Sum, 10> sums_{};
};

}  // namespace kindred
