#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugin/questions.h"

namespace kindred {

/// Measures how well scores rank the true labels before the others. The definitions are those of
/// scikit-learn (coverage_error, label_ranking_loss, label_ranking_average_precision_score; after
/// Tsoumakas et al. 2010, Mining Multi-label Data). A label without a score has score 0. Each
/// measure is a mean over documents, 0 if there are none. `columns` is the number of all labels; it
/// need not be known before the end. For one thread.
class LabelRanking {
 public:
  /// Adds a document: its true labels, each once, and scores, descending, each label once.
  void add(const std::vector<std::string>& truth, const std::vector<Tag>& scores);

  /// How many labels, from the best down, it takes to have all true ones. Labels that tie with the
  /// last one are counted. A document without true labels counts 0.
  double coverage_error(std::uint64_t columns) const;

  /// Share of the pairs of a true and a false label in which the false one has at least the score
  /// of the true one. A document that lacks true labels, or false ones, counts 0.
  double ranking_loss(std::uint64_t columns) const;

  /// For each true label, the share of true ones among the labels with at least its score; of that
  /// the mean over the true labels. A document without true labels, or with all labels, counts 1.
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
