#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/api.h"
#include "plugin/answers.h"

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

using api::Confusion;
using api::ConfusionMatrix;
using api::EvaluationReport;
using api::LabelReport;
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
    std::uint64_t documents = 0, right = 0;
    double confidence = 0;
  };
  std::array<Sum, 10> sums_{};
};

/// All confusions of a matrix: most documents first, then the largest share, then by names.
KINDRED_API std::vector<Confusion> worst_confusions(const ConfusionMatrix& matrix);

/// Compares predictions with true labels, document by document, in any order. For one thread.
class KINDRED_API Evaluation {
 public:
  /// `known`: the labels that could be predicted. Others are added when they occur.
  explicit Evaluation(const std::vector<std::string>& known = {});

  /// Adds a document: its true labels, each once, and what was predicted for it. The ranking
  /// measures need Classification::scores.
  void add(std::vector<std::string> truth, const Classification& prediction);

  EvaluationReport report() const;
  std::vector<LabelReport> label_reports() const;  ///< true or predicted labels, in byte order

  /// How often the best tags are true, in ten bins of confidence.
  std::array<ReliabilityBin, 10> reliability() const { return reliability_.bins(); }

  /// The same for every pair of a document and a label of EvaluationReport::all_labels.
  std::array<ReliabilityBin, 10> pair_reliability() const { return pairs().bins(); }

  /// Nothing unless every document has exactly one true label.
  std::optional<ConfusionMatrix> confusion() const;

 private:
  struct Counts {
    std::uint64_t right = 0;   // true and predicted
    std::uint64_t actual = 0;  // true
    std::uint64_t predicted = 0;
  };
  using Truth = std::vector<std::string>;

  void count_tags(const Truth& truth, const std::vector<Tag>& tags);
  void count_scores(const Truth& truth, const std::vector<Tag>& scores);
  void count_best(const Truth& truth, const std::optional<Tag>& best);
  Counts sum() const;
  Reliability pairs() const;

  std::map<std::string, Counts> labels_;
  std::set<std::string> all_labels_;
  LabelRanking ranking_;
  Reliability reliability_;
  Reliability scored_pairs_;
  std::uint64_t documents_ = 0;
  std::uint64_t best_right_ = 0;
  std::uint64_t exact_ = 0;
  std::uint64_t scored_ = 0, scored_right_ = 0;  // pairs of a document and a label
  std::map<std::string, std::map<std::string, std::uint64_t>> confused_;  // truth, best: documents
  bool single_label_ = true;
};

}  // namespace kindred
