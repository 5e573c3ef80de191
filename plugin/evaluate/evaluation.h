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
#include "plugin/evaluate/best_labels.h"
#include "plugin/evaluate/confusions.h"
#include "plugin/evaluate/label_ranking.h"
#include "plugin/evaluate/reliability.h"

namespace kindred {

using api::EvaluationReport;
using api::LabelReport;

/// Compares predictions with true labels, document by document, in any order. For one thread.
class KINDRED_API Evaluation {
 public:
  /// `known`: the labels that could be predicted. Others are added when they occur. `at`: as
  /// BestLabels takes it.
  explicit Evaluation(const std::vector<std::string>& known = {},
                      const std::vector<std::int64_t>& at = {});

  /// Adds a document: its true labels, each once, and what was predicted for it. The ranking
  /// measures need Classification::scores.
  void add(std::vector<std::string> truth, const Classification& prediction);

  EvaluationReport report() const;
  /// Of the best labels, if any are measured; they need Classification::scores.
  std::vector<api::BestLabelsReport> best_labels() const { return best_labels_.reports(); }
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
  BestLabels best_labels_;
  Reliability reliability_;
  Reliability scored_pairs_;
  std::uint64_t documents_ = 0;
  std::uint64_t best_right_ = 0;
  std::uint64_t exact_ = 0;
  std::uint64_t scored_ = 0;        // pairs of a document and a label
  std::uint64_t scored_right_ = 0;  // of these, those of true labels
  std::map<std::string, std::map<std::string, std::uint64_t>> confused_;  // truth, best: documents
  bool single_label_ = true;
};

}  // namespace kindred
