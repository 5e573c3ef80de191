#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/lazy.h"
#include "plugin/mirror/mirror.h"
#include "plugin/snapshot/view.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/rare_labels.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// The view by which tags are given and related documents found, and what a tuning says of labels.
/// Without a tuning, the view is the snapshot's own. With a tuning, its term weights are those that
/// the tuning stores.
///
/// Immutable, except that the class sums are made when they are first asked for. Any number of
/// threads may share it.
class VotingModel {
 public:
  /// The mirror is borrowed.
  /// @param base a view of the mirror; without a tuning, that of the model
  /// @param matching the documents that match the tuning's filter; null without a tuning or a
  /// filter
  VotingModel(const Mirror& mirror, const View& base, std::shared_ptr<const Tuning> tuning,
              const DocumentSet* matching, std::size_t threads);

  /// The model of `mirror`, which followed from that of `before`, by the same tuning. Equals one
  /// that is made from nothing; the cost follows the change. Shares nothing that `before` borrows.
  VotingModel(const Mirror& mirror, const VotingModel& before, const DocumentSet* matching);

  const std::shared_ptr<const Tuning>& tuning() const { return tuning_; }
  const View& view() const { return view_; }
  const TermWeighting& weighting() const { return *view_.weighting; }
  const Backend& backend() const { return *view_.backend; }
  /// Labeled documents that match the tuning's filter.
  const DocumentSet& voters() const { return voters_; }
  /// The threshold of each label by the tuning; empty without a tuning.
  const std::vector<double>& thresholds() const { return thresholds_; }
  /// What the blend of a tuning says of labels that few documents have, if documents have several.
  const RareLabels& rare_labels() const { return rare_labels_; }
  /// What the tuning's linear classifiers say; null if it has none.
  const LinearVotes* linear() const { return linear_.get(); }
  std::size_t threads() const { return threads_; }

  /// The sums over voters() in weighting().
  const ClassSums& class_sums() const;
  bool has_class_sums() const { return sums_.get_if_made() != nullptr; }
  /// The sums over other voters; computed each time, by one pass over the mirror.
  ClassSums class_sums_of(const DocumentSet& voters, const Pulse& pulse = {}) const;

  /// In main memory, without the mirror and the view. Includes the class sums from when they are
  /// made.
  std::size_t bytes() const;

 private:
  const Mirror& mirror_;
  const std::shared_ptr<const Tuning> tuning_;
  const std::size_t threads_;
  const DocumentSet voters_;
  View view_;
  std::vector<double> thresholds_;
  RareLabels rare_labels_;
  std::shared_ptr<const LinearVotes> linear_;
  Lazy<ClassSums> sums_;
};

}  // namespace kindred
