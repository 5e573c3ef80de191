#pragma once

#include <array>
#include <cstdint>

#include "config/api.h"
#include "plugin/questions.h"

namespace kindred {

using api::ReliabilityBin;

/// Measures whether confidences are probabilities, in ten bins of equal width.
class KINDRED_API Reliability {
 public:
  void add(double confidence, bool right) { add(confidence, 1, right ? 1 : 0); }
  /// Adds `documents` labels of one confidence, of which `right` are true.
  void add(double confidence, std::uint64_t documents, std::uint64_t right);

  std::array<ReliabilityBin, 10> bins() const;

  /// Expected calibration error (Guo et al. 2017): the difference between the mean confidence of a
  /// bin and its accuracy, averaged over documents. 0 without documents.
  double error() const;

  /// The average error() that chance alone would cause if confidences were probabilities. For each
  /// bin it takes the mean absolute deviation of a binomial variable (de Moivre 1730; Diaconis and
  /// Zabell 1991, equation 1.1), at the mean confidence of the bin. An error() that is not larger
  /// is no evidence of bad calibration.
  double error_by_chance() const;

 private:
  struct Sum {
    std::uint64_t documents = 0;
    std::uint64_t right = 0;
    double confidence = 0;
  };
  std::array<Sum, 10> sums_{};
};

}  // namespace kindred
