#pragma once

#include <cstdint>
#include <optional>

#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/leave_one_out.h"
#include "plugin/votes/tuning.h"

namespace kindred {

/// A blend that is fitted forward in time: the earlier documents classify the latest ones, and the
/// blend is fitted to the results. In leave-one-out, later documents vote on earlier ones, but a
/// new document has no later ones. So if a collection drifts, leave-one-out makes confidences too
/// high.
struct ForwardFit {
  Combiner combiner;
  std::uint64_t documents = 0;  ///< that it was fitted to
};

/// Classifies the latest fifth of `dealt.voters`, or a sample of it, by the other voters, and fits
/// a blend to the result. Returns this blend only if all of these conditions hold:
/// - At least 200 documents were classified.
/// - Documents arrive in order of time, not of subject. To test that, neighbors by docid are
///   compared with pairs that are drawn at random: of the pairs that chance does not make share a
///   label, at most half may do so. And the labels' shares in the latest fifth are compared with
///   those in the other voters: the two distributions must overlap by at least a quarter.
/// - The gain is real. A blend that is fitted to the earlier half of the classified documents has a
///   lower mean log loss on the later half than `known`, the blend fitted by leave-one-out. The
///   difference is at least 0.01, and more than two standard errors.
/// - The gain comes from time. The same gain is measured on the first fold: its documents were
///   drawn at random, and the other folds classify them. That gain is smaller by more than two
///   standard errors of the difference.
/// @throws whatever `tick` throws.
std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const FoldedRows& dealt,
                                      const TaggingMethod& method, const CrossFitOptions& options,
                                      const Combiner& known, std::uint64_t seed,
                                      const CrossFit::Tick& tick);

}  // namespace kindred
