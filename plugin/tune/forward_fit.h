#pragma once

#include <cstdint>
#include <optional>

#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/leave_one_out.h"
#include "plugin/votes/tuning.h"

namespace kindred {

/// A blend fitted forward in time: to the latest documents, as earlier ones classify them.
/// Leave-one-out lets later documents vote on earlier ones. A new document has no later ones, so
/// where a collection drifts, leave-one-out makes confidences too high.
struct ForwardFit {
  Combiner combiner;
  std::uint64_t documents = 0;  ///< that it was fitted to
};

/// Classifies the latest fifth of `dealt.voters`, or a sample of it, by the other documents, and
/// fits a blend to that. Returns it only if all of this holds:
/// - There are at least 200 of these documents.
/// - Documents come in order of time, not of subject: the shares that labels have of all labels
///   overlap by at least a quarter between the latest documents and the others.
/// - The gain is real. A blend is fitted to the earlier half of these documents. On the later
///   half its log loss is lower than that of `known`, which leave-one-out fitted, by more than two
///   standard errors, and by at least 0.01.
/// - The gain comes of time. The same is done in the first fold, whose documents are drawn at
///   random and classified by those of the other folds. The gain there is smaller, by more than
///   two standard errors of the difference of both gains.
/// @throws whatever `tick` throws.
std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const FoldedRows& dealt,
                                      const TaggingMethod& method, const Combiner& known,
                                      std::uint64_t seed, const CrossFit::Tick& tick);

}  // namespace kindred
