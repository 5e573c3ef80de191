#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "plugin/tune/combiner/combiner_fit.h"
#include "plugin/tune/cross_fit/leave_one_out.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// A blend that is calibrated forward in time: the earlier documents classify the latest ones, and
/// the blend's confidences are fitted to the results. Its order of labels stays, since the latest
/// documents are too few to tell it better than all do. In leave-one-out, later documents vote on
/// earlier ones, but a new document has no later ones. So if a collection drifts, leave-one-out
/// makes confidences too high.
struct ForwardFit {
  Combiner combiner;
  std::uint64_t documents = 0;  ///< that calibrated it
};

/// The documents that a forward fit classifies, and those that vote on them.
struct ForwardRows {
  FoldedRows latest;     ///< of the latest fifth, by the earlier ones
  FoldedRows by_chance;  ///< of the first fold, by the other folds: drawn at random, not by time
};

/// Deals these from the voters of `dealt`, and samples of them. Nothing unless
/// - at least 200 of the latest documents are left;
/// - documents arrive in order of time, not of subject. To test that, neighbors by docid are
///   compared with pairs that are drawn at random: of the pairs that chance does not make share a
///   label, at most a third may do so. And the labels' shares in the latest fifth are compared with
///   those in the other voters: the two distributions must overlap by at least a quarter.
std::optional<ForwardRows> forward_rows(const Mirror& mirror, const FoldedRows& dealt,
                                        std::uint64_t seed);

/// What voters tell of rows under a kind of term weights, also by linear classifiers if `linear`.
LeaveOneOut classify_forward(const Snapshot& snapshot, const FoldedRows& rows,
                             const TaggingMethod& method, bool linear,
                             const CrossFitOptions& options, const CrossFit::Tick& tick);

/// Calibrates `known`, the blend fitted by leave-one-out, by the latest documents. Returns it only
/// if
/// - the gain is real: calibrated by the earlier half of these documents, it has a lower mean log
///   loss on the later half. The difference is at least 0.01, and more than two standard errors;
/// - the gain comes from time: the same gain, measured on the documents drawn by chance, is smaller
///   by more than two standard errors of the difference.
/// @param latest,by_chance what classify_forward() finds of rows.latest and rows.by_chance.
///        by_chance() is called once it is needed.
std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const ForwardRows& rows,
                                      const TaggingMethod& method, const Combiner& known,
                                      const LeaveOneOut& latest,
                                      const std::function<LeaveOneOut()>& by_chance);

}  // namespace kindred
