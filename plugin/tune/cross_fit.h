#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/csr.h"
#include "gpu/knn/backend.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/parts.h"
#include "plugin/votes/classes/linear_votes.h"
#include "plugin/votes/votes.h"

namespace kindred {

/// What the other documents tell about each row, with the row itself left out.
struct LeaveOneOut {
  std::vector<Neighbor> neighbors;  ///< [rows, kBlendNeighbors]; a short list ends in kNoRow
  std::vector<float> cosines;       ///< [rows, labels]; see ClassSums
  std::vector<float> profiles;      ///< [rows, labels]
  std::vector<float> linear;        ///< [rows, labels], see CrossFit::run_linear(); may be empty
  std::vector<std::vector<double>> weights;  ///< of the terms, for each of the learning parts
};

/// What a CrossFit goes by.
struct CrossFitOptions {
  /// What corrections of term weights and linear classifiers are learned from, at most, about.
  std::size_t learning_documents = 12000;
  std::size_t threads = 1;  ///< 0 = one per core
};

/// Classifies the rows of a snapshot by the others.
class CrossFit {
 public:
  /// Called now and then with the number of documents that were done since the last call, in the
  /// thread that runs. If it throws, the run ends.
  using Tick = std::function<void(std::uint64_t documents)>;

  /// Borrows snapshot and rows. `postings`: the counts of its mirror, transposed, which several
  /// fits may share; null: it makes them.
  CrossFit(const Snapshot& snapshot, const FoldedRows& rows, CrossFitOptions options, Tick tick,
           std::shared_ptr<const Csr> postings = nullptr);

  /// Term weights from the labels of `voters`, as floats: label_weights() times e to the power of
  /// what fit_corrections() learns.
  std::vector<double> fit(const RowSet& voters) const;

  /// Term weights and linear classifiers for the rows of a fold are learned from the other folds.
  /// Where the rows are few, at most half of the voters, those that are not among the rows serve
  /// all folds. How often it takes to learn: once for each fold, or once.
  std::size_t learning_parts() const;

  /// Classifies every row by all other voters, under weights that are learned in parts.
  LeaveOneOut run() const;

  /// What linear classifiers say of every row: [rows, labels]. They are learned in the same parts
  /// as the term weights. `known`: what run() found.
  std::vector<float> run_linear(const LeaveOneOut& known) const;

  /// Linear classifiers of the labels, learned from some voters or a sample of them.
  /// @param weights of the terms, as fit() finds them
  std::shared_ptr<const LinearClassifiers> learn_linear(const std::vector<double>& weights,
                                                        const RowSet& voters) const;

  /// By how much classifiers that were learned from all voters are off for a row that they were
  /// learned from. `left_out`: what run_linear() found.
  LeftOutGrowth growth(const std::vector<double>& weights, const LinearVotes& learned,
                       std::span<const float> left_out) const;

  const std::shared_ptr<const Csr>& postings() const { return postings_; }
  const CrossFitOptions& options() const { return options_; }

 private:
  std::size_t folds() const { return rows_.without.size(); }
  std::size_t part_of(std::size_t fold) const { return learning_parts() == 1 ? 0 : fold; }
  TermWeighting weighting(const std::vector<double>& weights) const;
  std::vector<double> learn_corrections(const TermWeighting& base, const RowSet& voters) const;
  std::vector<std::size_t> places_of(std::size_t fold, bool repeated) const;
  std::vector<std::size_t> places_of_part(std::size_t part) const;
  RowSet learning_voters(std::size_t part) const;
  Queries weighed_left_out(std::span<const std::uint32_t> rows,
                           const TermWeighting& weighting) const;
  void classify(const TermWeighting& weighting, const Backend& backend,
                std::span<const std::size_t> places, const RowSet& voters,
                LeaveOneOut& result) const;
  std::vector<Neighbor> nearest(const TermWeighting& weighting, const Backend& backend,
                                std::span<const std::uint32_t> rows, const RowSet& voters,
                                std::size_t k) const;
  void compare(const TermWeighting& weighting, std::span<const std::size_t> places,
               const RowSet& voters, LeaveOneOut& result) const;
  void compare_linear(const TermWeighting& weighting, const LinearVotes& linear,
                      std::span<const std::size_t> places, std::span<float> values) const;

  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const FoldedRows& rows_;
  const CrossFitOptions options_;
  const Tick tick_;
  const std::size_t threads_;
  const std::shared_ptr<const Csr> postings_;
};

}  // namespace kindred
