#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kindred {

/// F1 of a label that is given so often, is right so often, and that so many documents have; 0 if
/// none has it and it is never given.
double f1(std::uint64_t right, std::uint64_t given, std::uint64_t positives);

/// Scores of one label over documents, and which of them have it. Borrowed.
struct LabelScores {
  std::span<const float> scores;
  std::span<const char> is_true;
};

/// Documents by score, descending, ties by number. Only scores above 0 count. Thresholds lie near
/// the top, so no more is sorted than somebody asks for.
class RankedScores {
 public:
  /// `scores` is borrowed.
  explicit RankedScores(std::span<const float> scores);

  std::size_t size() const { return order_.size(); }

  /// The document at `rank`, which must be below size().
  std::uint32_t at(std::size_t rank) {
    if (rank >= sorted_) sort_to(rank);
    return order_[rank];
  }

 private:
  void sort_to(std::size_t rank);

  std::span<const float> scores_;
  std::vector<std::uint32_t> order_;
  std::size_t sorted_ = 0;  // how many are in place
};

/// Thresholds of one label. A score reaches a threshold if it is not below it. For one thread.
class LabelCuts {
 public:
  /// `fold` has the number of each document's fold, below `folds`. Without folds, a threshold comes
  /// from all documents only.
  explicit LabelCuts(const LabelScores& label, std::span<const std::uint8_t> fold = {},
                     std::size_t folds = 0);

  /// SCut with FBR (Yang 2001, "A study on thresholding strategies", FBR.1; Lewis):
  /// - If the best F1 is at least the FBR, the threshold is halfway between the score that gives
  ///   this F1 and the next lower score (0 if there is none). Ties of F1 go to the highest score.
  /// - If the best F1 is below the FBR, it is the largest score.
  /// - If no score is above 0, it is infinite.
  /// The result is row-major [fbrs, folds + 1]. Element f of a row is chosen on the documents that
  /// are not in fold f, and the last element on all documents.
  std::vector<double> scut(std::span<const double> fbrs);

  /// Calls visit(document) for every document with at least this score, which must be above 0.
  template <typename Visit>
  void each_from(double score, Visit&& visit) {
    for (std::size_t rank = 0; rank < ranked_.size(); ++rank) {
      const std::uint32_t document = ranked_.at(rank);
      if (!(label_.scores[document] >= score)) break;
      visit(document);
    }
  }

 private:
  struct BestCut;

  bool is_left_out(std::uint32_t document, std::size_t without) const {
    return without < positives_.size() - 1 && fold_[document] == without;
  }
  BestCut best_cut(std::size_t without);

  LabelScores label_;
  std::span<const std::uint8_t> fold_;
  RankedScores ranked_;
  std::vector<std::uint64_t> positives_;  // documents that have the label, without each fold; all
};

}  // namespace kindred
