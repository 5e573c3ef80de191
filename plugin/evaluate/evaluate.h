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
#include "plugin/evaluate/label_ranking.h"
#include "plugin/evaluate/reliability.h"

namespace kindred {

/// How well predicted tags agree with those that people gave. All shares are in [0, 1]. A share
/// that would divide by 0 is 0 (scikit-learn's zero_division=0).
struct EvaluationReport {
  std::uint64_t documents = 0;
  std::uint64_t labels = 0;    ///< labels that are true or predicted somewhere, as for macro_f1
  double micro_precision = 0;  ///< share of the predicted tags that are true
  double micro_recall = 0;     ///< share of the true tags that are predicted
  double micro_f1 = 0;
  double macro_f1 = 0;  ///< mean F1 of these labels
  double accuracy = 0;  ///< share of documents whose best tag, above the threshold or not, is true
  double macro_precision = 0;
  double macro_recall = 0;
  double subset_accuracy = 0;    ///< share of documents whose tags are exactly the true ones
  std::uint64_t all_labels = 0;  ///< labels that are known, true, predicted or scored
  double hamming_loss = 0;       ///< share of documents x all_labels that were decided wrongly
  double one_error = 0;       ///< share of documents whose best tag is not true, or that have none
  double coverage_error = 0;  ///< this and the next two: see LabelRanking, over all_labels
  double ranking_loss = 0;
  double ranking_average_precision = 0;
  double calibration_error = 0;  ///< of the best tags' confidences; see Reliability::error()
  double calibration_error_by_chance = 0;  ///< of the same; see Reliability::error_by_chance()
  double pair_calibration_error = 0;       ///< of all documents x all_labels; no score counts as 0
};

/// How well one label is predicted.
struct LabelReport {
  std::string label;
  std::uint64_t support = 0;    ///< documents that have it
  std::uint64_t predicted = 0;  ///< documents that were given it
  std::uint64_t right = 0;      ///< both
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

/// Which label was taken for which.
struct ConfusionMatrix {
  std::vector<std::string> labels;  ///< true or best somewhere, in byte order
  /// One row per true label, one column per best label. The last column counts documents that have
  /// no best label.
  std::vector<std::vector<std::uint64_t>> counts;
};

/// Documents of one label whose best label is another.
struct Confusion {
  std::string label;                     ///< that they have
  std::optional<std::string> taken_for;  ///< their best label; nothing if no label got a vote
  std::uint64_t documents = 0;           ///< at least 1
  double share = 0;                      ///< of the documents of `label`, in (0, 1]
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
  void add(const std::vector<std::string>& truth, const Classification& prediction);

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
