#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/row_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/tuning.h"

namespace kindred {

/// The documents of a leave-one-out run, dealt into folds. The term weights that classify a
/// document must not be learned from its own labels. So they come from the other folds only.
struct FoldedRows {
  std::vector<std::uint32_t> rows;  ///< the rows to classify, ascending
  std::vector<std::uint8_t> fold;   ///< the fold of each of these rows
  RowSet voters;                    ///< the rows that vote on them
  std::vector<RowSet> without;      ///< for each fold, the voters that are not in it
  /// A term counts as unknown if no row before this one holds it. The default makes no term
  /// unknown. In any case, a term that only one document holds is unknown to that document.
  std::uint32_t known_rows = std::numeric_limits<std::uint32_t>::max();
};

/// Deals `voters` into folds (at most 255), and draws at most `sample` of them (0: all) to be
/// classified. The same seed gives the same folds and the same sample on every machine.
FoldedRows deal_rows(const RowSet& voters, std::size_t folds, std::uint64_t seed,
                     std::size_t sample);

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
};

/// Term weights by the labels of some rows, and the corrections that are part of them.
struct FittedWeights {
  std::vector<double> weights;      ///< one for each term, a float as FrozenWeights keeps it
  std::vector<double> corrections;  ///< theta; empty unless they were learned
};

/// Classifies the rows of a snapshot by the others. For one thread; uses the model's threads.
class CrossFit {
 public:
  /// Called now and then with the number of documents that were done since the last call. If it
  /// throws, the run ends.
  using Tick = std::function<void(std::uint64_t documents)>;

  /// `keep_terms`: as TuneRequest::keep_terms.
  CrossFit(const Snapshot& snapshot, const FoldedRows& rows, double keep_terms, Tick tick);

  /// Term weights from the labels of `voters`.
  FittedWeights fit(TermWeightKind kind, const RowSet& voters) const;

  /// Classifies every row by all other voters, under weights from the folds that it is not in.
  LeaveOneOut run(TermWeightKind kind, std::size_t k) const;

 private:
  TermWeighting weighting(std::vector<double> weights) const;
  void forget_unknown(std::vector<double>& weights) const;
  std::vector<double> learn(const TermWeighting& base, const RowSet& voters) const;
  void search(const TermWeighting& weighting, const Backend& backend,
              std::span<const std::uint32_t> rows, const RowSet& voters, std::size_t k,
              std::span<Neighbor> neighbors) const;
  void classify(const TermWeighting& weighting, std::span<const std::size_t> places,
                LeaveOneOut& result) const;
  void compare(const TermWeighting& weighting, std::span<const std::size_t> places,
               LeaveOneOut& result) const;

  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const FoldedRows& rows_;
  const double keep_terms_;
  const Tick tick_;
  const std::size_t threads_;
  Csr postings_;
};

}  // namespace kindred
