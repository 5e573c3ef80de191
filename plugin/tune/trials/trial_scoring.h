#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/tune/cross_fit/leave_one_out.h"
#include "plugin/votes/thresholds.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// Documents whose labels are known, dealt into folds.
struct TrialTruth {
  std::size_t documents = 0;
  std::size_t labels = 0;
  std::vector<std::uint64_t> begin{0};  ///< of a document's labels in `label`
  std::vector<std::uint32_t> label;     ///< ascending in a document
  std::vector<std::uint8_t> fold;       ///< of a document
  std::size_t folds = 0;

  std::span<const std::uint32_t> of(std::size_t document) const {
    return std::span(label).subspan(begin[document], begin[document + 1] - begin[document]);
  }
  bool single_label() const;          ///< every document has exactly one
  std::uint64_t most_labels() const;  ///< of a document
};

/// The labels and folds of the rows that are classified.
TrialTruth truth_of(const Mirror& mirror, const FoldedRows& rows);

/// A way to cut, and how well it does. classify.max_labels is not applied.
struct CutTrial {
  CutKind cut = CutKind::kScut;
  double value = 0;
  double micro_f1 = 0;
  double macro_f1 = 0;
};

/// Measures scores, row-major [documents, labels], against the truth.
class TrialScoring {
 public:
  /// `truth` is borrowed.
  TrialScoring(const TrialTruth& truth, std::size_t threads)
      : truth_(truth), threads_(threads), single_label_(truth.single_label()) {}

  /// Tries these cuts, in this order:
  /// - SCut with FBR 0.1, 0.2, 0.3, 0.4 and 0.5;
  /// - PCut;
  /// - RCut with one label, and also with two unless every document has exactly one.
  /// The thresholds for a document come from the other folds. If every document has exactly one
  /// label, SCut and PCut give no label but the best one, and only if it reaches its threshold.
  /// No threshold of SCut and PCut is below `least`.
  std::vector<CutTrial> try_cuts(std::span<const float> scores, double least) const;

  /// The thresholds of scut or pcut from all documents, one for each label, each at least `least`.
  std::vector<double> thresholds(std::span<const float> scores, CutKind cut, double value,
                                 double least) const;

  double accuracy(std::span<const float> scores) const;
  double calibration_error(std::span<const float> scores) const;

 private:
  struct LabelCounts {
    std::uint64_t right = 0, predicted = 0;
  };

  void try_label(const LabelScores& column, std::span<const std::uint32_t> best, std::size_t label,
                 double least, std::vector<std::vector<LabelCounts>>& counts) const;
  std::vector<LabelCounts> take_best(std::span<const float> scores, std::size_t rank) const;
  std::size_t best_of(std::span<const float> scores, std::size_t document) const;
  CutTrial measured(CutKind cut, double value, const std::vector<LabelCounts>& counts) const;

  const TrialTruth& truth_;
  const std::size_t threads_;
  const bool single_label_;
};

}  // namespace kindred
