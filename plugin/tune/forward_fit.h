#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "plugin/tune/true_labels.h"
#include "plugin/votes/combiner.h"

namespace kindred {

/// What the latest documents tell, classified by the earlier ones. In leave-one-out, later
/// documents vote on earlier ones, but a new document has no later ones. So if a collection drifts,
/// both confidences and accuracy are too high.
struct ForwardFit {
  /// The known blend, calibrated by these documents; none if that does not pay: calibrated by the
  /// first half of them, it must have a lower mean log loss on the other, by at least 0.01 and by
  /// more than two standard errors. Its order of labels stays, since the documents are too few to
  /// tell it better than all do.
  std::optional<Combiner> combiner;
  /// By how much fewer of their best labels are true than by leave-one-out; 0 if the difference is
  /// at most two standard errors.
  double drift = 0;
};

/// @param known the blend that was fitted by leave-one-out
/// @param features of the latest documents, as CrossFit::features_of() finds them
/// @param accuracy of `documents` documents by leave-one-out
ForwardFit fit_forward(const Combiner& known, const TrueLabels& truth,
                       std::span<const float> features, double accuracy, std::uint64_t documents,
                       std::size_t threads);

}  // namespace kindred
