#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/row_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/cross_fit/companions.h"
#include "plugin/tune/learning/counts_in_orders.h"
#include "plugin/tune/learning/learning_neighbors.h"
#include "plugin/votes/classes/linear_votes.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// The documents of a leave-one-out run, dealt into folds. The term weights that classify a
/// document must not be learned from its own labels. So they come from the other folds only, or
/// from documents that are not classified (CrossFit::learning_parts()).
struct FoldedRows {
  std::vector<std::uint32_t> rows;  ///< the rows to classify, ascending
  std::vector<std::uint8_t> fold;   ///< the fold of each of these rows
  RowSet voters;                    ///< all that may vote
  std::vector<RowSet> voting;       ///< for each fold, the voters that vote on its rows
  std::vector<RowSet> without;      ///< for each fold, the voters that are not in it
  /// If rows are repeated: for each fold, the voters that vote on those. Else empty.
  std::vector<RowSet> voting_on_repeated;
  std::vector<bool> is_repeated;  ///< for each of the rows, if any is; else empty
  /// A term counts as unknown if no row before this one holds it. The default makes no term
  /// unknown. In any case, a term that only one document holds is unknown to that document.
  std::uint32_t known_rows = std::numeric_limits<std::uint32_t>::max();
};

/// Takes the companions of each row from those that vote on the row's fold, and from those that its
/// weights are learned from. `companions`: one entry for each of rows.rows. If half of the rows
/// or more are repeated, so will be documents that come later: then the companions of these rows
/// stay, and vote on rows that are repeated.
void keep_apart(std::span<const Companions> companions, FoldedRows& rows);

/// The same for groups of rows: where a row of a group is classified, the others do not vote.
void keep_groups_apart(std::span<const std::vector<std::uint32_t>> groups, FoldedRows& rows);

/// Deals `voters` into folds (at most 255), and draws at most `sample` of them (0: all) to be
/// classified. The same seed gives the same folds and the same sample on every machine.
FoldedRows deal_rows(const RowSet& voters, std::size_t folds, std::uint64_t seed,
                     std::size_t sample);

/// Draws at most `most` of some rows at random; ascending. The same on every machine.
std::vector<std::uint32_t> drawn(std::vector<std::uint32_t> rows, std::size_t most,
                                 std::uint64_t seed);

/// Splits `voters` into the latest `share` and the earlier ones. Draws at most `sample` (0: all) of
/// the latest, to be classified by the earlier ones only. Rows of a mirror ascend by docid, which
/// is the order of arrival.
FoldedRows deal_latest(const RowSet& voters, double share, std::uint64_t seed, std::size_t sample);

/// What the other documents tell about each row, with the row itself left out.
struct LeaveOneOut {
  std::size_t k = 0;
  std::vector<Neighbor> neighbors;  ///< [rows, k]; a short list ends in kNoRow
  std::vector<float> cosines;       ///< [rows, labels]; see ClassSums
  std::vector<float> profiles;      ///< [rows, labels]
  std::vector<float> linear;        ///< [rows, labels], see CrossFit::run_linear(); may be empty
  std::vector<std::vector<float>> weights;  ///< of the terms, for each of the learning parts
};

/// What a LeaveOneOut holds of the rows of one fold: in the order of rows, repeated ones last.
struct ClassifiedFold {
  std::vector<float> weights;  ///< of the terms
  std::vector<Neighbor> neighbors;
  std::vector<float> cosines, profiles;
};

/// Term weights by the labels of some rows, and the corrections that are part of them.
struct FittedWeights {
  std::vector<double> weights;      ///< one for each term, a float as FrozenWeights keeps it
  std::vector<double> corrections;  ///< theta; empty unless they were learned
};

/// What a CrossFit goes by.
struct CrossFitOptions {
  double keep_terms = 1;                 ///< as TuneRequest::keep_terms
  std::size_t linear_documents = 50000;  ///< linear classifiers are learned from, at most, about
  std::size_t corrected_by = 15000;      ///< documents that corrections are learned from, at most
  std::size_t threads = 1;  ///< of a call, or of the for_each_task() it is in; 0 = one per core
  /// What CrossFit::learning_candidates() found for these voters, or for more of them. Borrowed;
  /// null, or without documents: each fit() of learned weights looks for itself.
  const LearningNeighbors* learning = nullptr;
  /// The counts of the snapshot, which several fits may share; null: each makes its own.
  std::shared_ptr<const CountsInOrders> counts = nullptr;
};

/// Classifies the rows of a snapshot by the others. Any number of threads may call it at once.
class CrossFit {
 public:
  /// Called now and then with the number of documents that were done since the last call, by the
  /// thread that does them. If it throws, the run ends.
  using Tick = std::function<void(std::uint64_t documents)>;

  CrossFit(const Snapshot& snapshot, const FoldedRows& rows, CrossFitOptions options, Tick tick);

  /// Term weights from the labels of `voters`.
  FittedWeights fit(TermWeightKind kind, const RowSet& voters) const;

  /// The voters that corrections may be learned from, a sample of them if there are many.
  std::vector<std::uint32_t> learning_documents() const;
  /// The candidates for the neighbors of some of them.
  static constexpr std::size_t kCandidates = 250;
  std::vector<Neighbor> learning_candidates(std::span<const std::uint32_t> documents) const;

  /// Term weights and linear classifiers for the rows of a fold are learned from the other folds.
  /// Where the rows are few, at most half of the voters, those that are not among the rows serve
  /// all folds. How often it takes to learn: once for each fold, or once.
  std::size_t learning_parts() const;

  /// What the rows of a part are classified by: term weights from the voters that it learns from.
  std::vector<float> learn_weights(TermWeightKind kind, std::size_t part) const;

  /// Classifies every row by all other voters, under weights that are learned in parts.
  LeaveOneOut run(TermWeightKind kind, std::size_t k) const;

  /// The same in parts: the rows of each fold, to be gathered in any order.
  /// @param weights of the part that the fold belongs to
  std::size_t folds() const { return rows_.without.size(); }
  std::size_t part_of(std::size_t fold) const { return learning_parts() == 1 ? 0 : fold; }
  ClassifiedFold classify(std::vector<float> weights, std::size_t k, std::size_t fold) const;
  LeaveOneOut nothing_classified(std::size_t k) const;
  void gather(std::size_t fold, ClassifiedFold classified, LeaveOneOut& result) const;
  /// What was gathered of a fold, with its rows as the only ones.
  LeaveOneOut part(std::size_t fold, const LeaveOneOut& gathered) const;
  /// The rows of a fold, as the only ones.
  FoldedRows rows_of(std::size_t fold) const;

  /// Linear classifiers of the labels, learned from some voters or a sample of them.
  /// @param weights of the terms, as fit() finds them
  std::shared_ptr<const LinearClassifiers> learn_linear(const std::vector<double>& weights,
                                                        const RowSet& voters) const;

  /// What linear classifiers say of every row: [rows, labels]. They are learned in the same parts
  /// as the term weights.
  /// @param known whose weights they go by
  std::vector<float> run_linear(const LeaveOneOut& known) const;

  /// The same in parts, to be gathered in any order.
  std::vector<float> compare_linear(const LeaveOneOut& known, std::size_t part) const;
  void gather_linear(std::size_t part, std::span<const float> compared,
                     std::vector<float>& values) const;

  /// By how much classifiers that were learned from all voters are off for a row that they were
  /// learned from. `left_out`: what run_linear() found.
  LeftOutGrowth growth(const std::vector<double>& weights, const LinearVotes& learned,
                       std::span<const float> left_out) const;

 private:
  TermWeighting weighting(std::vector<double> weights) const;
  bool is_repeated(std::size_t place) const {
    return !rows_.is_repeated.empty() && rows_.is_repeated[place];
  }
  std::vector<std::size_t> places_of(std::size_t fold) const;
  std::vector<std::size_t> all_places() const;
  void forget_unknown(std::vector<double>& weights) const;
  std::vector<double> learn(const TermWeighting& base, const RowSet& voters) const;
  Queries weighed_left_out(std::span<const std::uint32_t> rows,
                           const TermWeighting& weighting) const;
  void search(const TermWeighting& weighting, const Backend& backend,
              std::span<const std::uint32_t> rows, const RowSet& voters, std::size_t k,
              std::span<Neighbor> neighbors) const;
  std::vector<std::size_t> places_of_part(std::size_t part) const;
  RowSet learning_voters(std::size_t part) const;
  std::vector<float> compare_linear(const TermWeighting& weighting, const LinearVotes& linear,
                                    std::span<const std::size_t> places) const;
  void compare(const TermWeighting& weighting, const RowSet& voters,
               std::span<const std::uint32_t> rows, std::span<float> cosines,
               std::span<float> profiles) const;

  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const FoldedRows& rows_;
  const CrossFitOptions options_;
  const Tick tick_;
  const std::size_t threads_;
  const std::shared_ptr<const CountsInOrders> counts_;
};

}  // namespace kindred
