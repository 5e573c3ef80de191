#pragma once

#include <xapian.h>
#include <span>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/mean_of_documents.h"

// In leave-one-out, later documents vote on earlier ones, but a new document has no later ones. So
// if a collection drifts, both accuracy and confidences by leave-one-out are too high.

namespace kindred {

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
  DriftMeasure(const Mirror& mirror, const DocumentSet& voters);

  /// @param nearest what may vote on a voter, by similarity, without the voter
  void add(Xapian::docid docid, std::span<const Neighbor> nearest);

  double loss() const { return loss_.clear(); }  ///< a share of documents; 0 if it is not clear

 private:
  const Mirror& mirror_;
  std::vector<double> age_;    // of the voter at each place
  std::vector<double> votes_;  // of each label; 0 between calls
  MeanOfDocuments loss_;
};

}  // namespace kindred
