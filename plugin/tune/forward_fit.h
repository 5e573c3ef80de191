#pragma once

#include <cstdint>
#include <optional>

#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/leave_one_out.h"
#include "plugin/votes/tuning.h"

namespace kindred {

/// A blend fitted forward in time: to the latest documents as the earlier ones classify them.
/// Leave-one-out lets later documents vote on earlier ones, which no document that is to come will
/// have; where a collection drifts, that makes confidences too high.
struct ForwardFit {
  Combiner combiner;
  std::uint64_t documents = 0;  ///< that it was fitted to
};

/// Classifies the latest fifth of `dealt.teach`, or a sample of it, by the others, and fits a blend
/// to that. Nothing unless it is worth it: fitted to the earlier half of these documents, it has to
/// have a log loss on the later half that is lower than that of `known`, which leave-one-out
/// fitted, by more than two standard errors and 0.01; and so much lower than in the first fold,
/// whose documents are drawn at random and classified by those of the other folds, that the
/// difference of both gains is more than two of its own. Nor where they are fewer than 200, or
/// where the order of documents is rather one of subjects: the shares that labels have of all
/// labels, among the latest and among the other documents, overlap by less than a quarter.
/// @throws whatever `tick` throws.
std::optional<ForwardFit> fit_forward(const Snapshot& snapshot, const FoldedRows& dealt,
                                      const TaggingMethod& method, const Combiner& known,
                                      std::uint64_t seed, const CrossFit::Tick& tick);

}  // namespace kindred
