#pragma once

#include <array>
#include <cstdint>

#include "config/api.h"

namespace kindred {

/// Labels of about the same confidence: the best one of each document, or all of each.
struct ReliabilityBin {
  double low = 0, high = 0;     ///< confidences in (low, high]; the first one also 0
  std::uint64_t documents = 0;  ///< one for each label that is counted
  double confidence = 0;        ///< mean
  double accuracy = 0;          ///< share of the labels that are true
};

/// Whether confidences are probabilities: ten bins of equal width.
class KINDRED_API Reliability {
 public:
  void add(double confidence, bool right) { add(confidence, 1, right ? 1 : 0); }
  /// `documents` labels of one confidence, of which `right` are true.
  void add(double confidence, std::uint64_t documents, std::uint64_t right);

  std::array<ReliabilityBin, 10> bins() const;

  /// Expected calibration error (Guo et al. 2017): the mean over documents of how far their bin's
  /// mean confidence is from its accuracy. 0 without documents.
  double error() const;

  /// What error() would be on average if confidences were probabilities: the mean absolute
  /// deviation of a binomial variable (de Moivre 1730; Diaconis and Zabell 1991, equation 1.1) in
  /// each bin, all of it taken at the bin's mean confidence. An error not above it is no evidence
  /// of any.
  double error_by_chance() const;

 private:
  struct Sum {
    std::uint64_t documents = 0, right = 0;
    double confidence = 0;
  };
  std::array<Sum, 10> sums_{};
};

}  // namespace kindred
