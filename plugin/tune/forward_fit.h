#pragma once

#include <cstdint>
#include <optional>

#include "plugin/tune/cross_fit.h"
#include "plugin/votes/combiner.h"

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

/// Calibrates `known`, the blend fitted by leave-one-out on `dealt`, by a sample of the latest
/// tenth of its voters, which the earlier ones classify; with linear classifiers if `linear`.
/// Nothing unless
/// - there are at least 100 such documents;
/// - documents arrive in order of time, not of subject. To test that, neighbors by docid are
///   compared with pairs that are drawn at random: of the pairs that chance does not make share a
///   label, at most a third may do so. And the labels' shares in the latest tenth are compared with
///   those in the other voters: the two distributions must overlap by at least a quarter;
/// - the gain is real: calibrated by the earlier half of these documents, it has a lower mean log
///   loss on the later half. The difference is at least 0.01, and more than two standard errors;
/// - the gain comes from time: the same gain, measured on documents drawn by chance (the first
///   fold, classified by the others), is smaller by more than two standard errors of the
///   difference.
/// @param fit of leave-one-out, whose options and postings serve here, too
std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const FoldedRows& dealt,
                                      const CrossFit& fit, const Combiner& known, bool linear,
                                      std::uint64_t seed, const CrossFit::Tick& tick);

}  // namespace kindred
