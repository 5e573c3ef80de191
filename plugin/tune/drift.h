#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/row_set.h"
#include "plugin/mirror/mirror.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/votes/combiner.h"

// In leave-one-out, later documents vote on earlier ones, but a new document has no later ones. So
// if a collection drifts, both accuracy and confidences by leave-one-out are too high.

namespace kindred {

/// A mean over documents that is clear if it is above two standard errors.
class ClearMean {
 public:
  void add(double of_document);
  double value() const;  ///< 0 if it is not clear

 private:
  double documents_ = 0, sum_ = 0, squares_ = 0;
};

/// How much better documents know each other at random than the earlier ones know the later ones,
/// label by label, so that collections count that are sorted by label.
///
/// The age of a document is the share of its labels' documents that come before it. Each document
/// that is not among the earlier half of its labels is voted on twice by its most similar voters,
/// by those of the earlier half, and by every second one; the loss is the share of these documents
/// whose best label is then true less often.
class DriftMeasure {
 public:
  /// `mirror` is borrowed.
  DriftMeasure(const Mirror& mirror, const RowSet& voters);

  /// @param nearest what may vote on a voter, by similarity, without the voter
  void add(std::uint32_t row, std::span<const Neighbor> nearest);

  double loss() const { return loss_.value(); }  ///< a share of documents; 0 if it is not clear

 private:
  const Mirror& mirror_;
  std::vector<double> age_;    // of each voter
  std::vector<double> votes_;  // of each label; 0 between calls
  ClearMean loss_;
};

/// The known blend, calibrated by the latest documents as the earlier ones classify them. Its order
/// of labels stays, since the latest documents are too few to tell it better than all do. None if
/// that does not pay: calibrated by the first half of them, it must have a lower mean log loss on
/// the other, by a clear difference of at least 0.01.
/// @param known the blend that was fitted by leave-one-out
/// @param features of the latest documents, as CrossFit::features_of() finds them
std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    std::span<const float> features, std::size_t threads);

}  // namespace kindred
