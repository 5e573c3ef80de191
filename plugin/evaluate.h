#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/classification.h"

namespace kindred {

/// How well predicted tags agree with the ones that people gave. All shares are in [0, 1], and 0
/// where they would divide by 0 (scikit-learn's zero_division=0).
struct EvaluationReport {
  std::uint64_t documents = 0;
  std::uint64_t labels = 0;    ///< distinct labels, true or predicted: those that macro_f1 averages
  double micro_precision = 0;  ///< share of the predicted tags that are true
  double micro_recall = 0;     ///< share of the true tags that are predicted
  double micro_f1 = 0;
  double macro_f1 = 0;  ///< mean of the labels' F1
  double accuracy = 0;  ///< share of documents whose best tag, above the threshold or not, is true
};

/// Counts agreement over documents. The order of the documents does not matter. For one thread.
class KINDRED_API Evaluation {
 public:
  /// Adds a document: its true labels, each once, and what was predicted for it.
  void add(const std::vector<std::string>& truth, const Classification& prediction);

  EvaluationReport report() const;

 private:
  struct Counts {
    std::uint64_t right = 0;   // true and predicted
    std::uint64_t actual = 0;  // true
    std::uint64_t predicted = 0;
  };

  std::map<std::string, Counts> labels_;
  std::uint64_t documents_ = 0;
  std::uint64_t best_right_ = 0;
};

}  // namespace kindred
