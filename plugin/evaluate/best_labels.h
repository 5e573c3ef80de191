#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/questions.h"

namespace kindred {

/// Measures the k best labels of each document, by their scores, for several k: how many of them
/// are true, and how far up these stand. All are means over documents, 0 if there are none. With t
/// true labels, r of them among the k best, and d the sum of 1 / log2(1 + place) over these:
///
///     precision = r / k,  recall = r / t,  F1 = 2 r / (k + t),
///     NDCG = d / (what d is if the best are true)        (Järvelin and Kekäläinen 2002)
///
/// For one thread.
class BestLabels {
 public:
  /// @param ks each at least 1
  explicit BestLabels(const std::vector<std::int64_t>& ks);

  /// Adds a document: its true labels in byte order, and scores, descending, each label once. One
  /// without true labels is not counted.
  void add(const std::vector<std::string>& truth, const std::vector<Tag>& scores);

  std::vector<api::BestLabelsReport> reports() const;

 private:
  std::vector<api::BestLabelsReport> sums_;
  std::uint64_t documents_ = 0;
};

}  // namespace kindred
