#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugin/answers/classification.h"

namespace kindred {

/// Measures of how well scores rank the true labels before the others, by scikit-learn's
/// definitions (coverage_error, label_ranking_loss, label_ranking_average_precision_score; after
/// Tsoumakas et al. 2010, Mining Multi-label Data). A label without a score has score 0. Each
/// measure is a mean over documents, 0 if there are none. How many labels there are in all
/// (`columns`) need not be known before the end. For one thread.
class LabelRanking {
 public:
  /// Adds a document: its true labels, each once, and scores, descending, each label once.
  void add(const std::vector<std::string>& truth, const std::vector<Tag>& scores);

  /// How many labels, from the best down, it takes to have all true ones; ties count as taken. A
  /// document without true labels counts 0.
  double coverage_error(std::uint64_t columns) const;

  /// Share of the pairs of a true and a false label where the false one has at least the score of
  /// the true one. A document without one of the two kinds counts 0.
  double ranking_loss(std::uint64_t columns) const;

  /// Mean over the true labels of the share of true ones among the labels with at least this
  /// score. A document without true labels, or with all, counts 1.
  double average_precision(std::uint64_t columns) const;

 private:
  /// Sums over the documents that have a given number of true labels.
  struct RankingSums {
    std::uint64_t documents = 0;
    std::uint64_t misordered = 0;  // pairs, of true labels that have a score
    std::uint64_t unscored = 0;    // true labels without a score
    double precision = 0;          // summed over the true labels that have a score
  };

  std::map<std::uint64_t, RankingSums> by_true_labels_;
  std::uint64_t documents_ = 0;
  std::uint64_t covered_ = 0;    // summed over the documents whose true labels all have scores
  std::uint64_t uncovered_ = 0;  // the other documents
};

}  // namespace kindred
