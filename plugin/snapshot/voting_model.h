#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gpu/knn/backend.h"
#include "gpu/row_set.h"
#include "plugin/mirror/mirror.h"
#include "plugin/snapshot/view.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/linear_votes.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// The weighting and the backend by which votes on one snapshot are taken. Without a tuning, they
/// are the snapshot's own. With a tuning, the term weights are those that it stores, and the
/// backend is made with them.
///
/// A model follows from that of an earlier mirror in proportion to the change. It then equals one
/// that is made from nothing.
///
/// Immutable, except that the class sums are made when they are first asked for. Any number of
/// threads may share it.
class VotingModel {
 public:
  /// What takes long to make of a model with a tuning.
  struct Parts {
    std::shared_ptr<const TermWeighting> weighting;
    std::shared_ptr<const Backend> backend;
    std::shared_ptr<const LinearVotes> linear;  ///< null if the tuning has no linear classifiers
    std::shared_ptr<const ClassSums> sums;      ///< null: not made yet
  };

  /// Everything but the tuning and the parts is borrowed.
  /// @param matching the documents that match the tuning's filter; null without a tuning or a
  /// filter
  /// @param parts what follow() returned for the same mirror and tuning; empty: they are made
  VotingModel(const Mirror& mirror, const TermWeighting& weighting, const Backend& backend,
              std::shared_ptr<const Tuning> tuning, const RowSet* matching, std::size_t threads,
              std::optional<Parts> parts = {});
  VotingModel(const VotingModel&) = delete;
  VotingModel& operator=(const VotingModel&) = delete;

  const Tuning* tuning() const { return tuning_.get(); }
  const TermWeighting& weighting() const { return own_.weighting ? *own_.weighting : weighting_; }
  const Backend& backend() const { return own_.backend ? *own_.backend : backend_; }
  View view() const { return {weighting(), backend()}; }
  /// Labeled documents that match the tuning's filter.
  const RowSet& voters() const { return voters_; }
  /// The threshold of each label by the tuning; empty without a tuning.
  const std::vector<double>& thresholds() const { return thresholds_; }
  /// What the tuning's linear classifiers say; null if it has none.
  const LinearVotes* linear() const { return own_.linear.get(); }
  std::size_t threads() const { return threads_; }

  /// The sums over voters() in weighting().
  const ClassSums& class_sums() const;
  bool has_class_sums() const { return has_sums_.load(std::memory_order_acquire); }
  /// The sums over other voters; computed each time, by one pass over the mirror.
  ClassSums class_sums_of(const RowSet& voters) const;

  /// The parts of the model of `mirror`, which followed from the mirror of this model. Empty if
  /// they cannot follow. Depends neither on the weighting nor on the backend of that mirror, so it
  /// may run while these are made. This model may be destroyed afterwards.
  std::optional<Parts> follow(const Mirror& mirror, const std::shared_ptr<const Tuning>& tuning,
                              const RowSet* matching) const;

  /// In main memory, without the mirror, weighting and backend that it borrows. Includes the class
  /// sums from when they are made.
  std::size_t bytes() const;

 private:
  VoterChange change_to(const Mirror& mirror, const RowSet& voters) const;
  void keep_sums(std::shared_ptr<const ClassSums> sums) const;

  const Mirror& mirror_;
  const TermWeighting& weighting_;
  const Backend& backend_;
  const std::shared_ptr<const Tuning> tuning_;
  const std::size_t threads_;
  RowSet voters_;
  std::vector<double> thresholds_;
  Parts own_;  ///< empty without a tuning; never with sums, which are below
  mutable std::once_flag summed_;
  mutable std::shared_ptr<const ClassSums> sums_;
  mutable std::atomic<bool> has_sums_ = false;  ///< for those that do not wait for summed_
};

}  // namespace kindred
