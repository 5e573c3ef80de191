#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/tune/cross_fit/leave_one_out.h"
#include "plugin/tune/search/document_ticks.h"
#include "plugin/tune/search/tuning_tasks.h"
#include "plugin/tune/trials/forward_fit.h"
#include "plugin/tune/trials/trial_scoring.h"
#include "plugin/tune/trials/trial_votes.h"
#include "plugin/votes/tuning/tune_request.h"

namespace kindred {

/// One run: leave-one-out with each kind of term weights, the trials on its results, and the tuning
/// of the best method.
class MethodSearch {
 public:
  /// Borrows all but `counts`, those of the snapshot.
  MethodSearch(const Snapshot& snapshot, const FoldedRows& rows, const TuneRequest& request,
               std::shared_ptr<const CountsInOrders> counts, const OnTuning& on_tuning);

  TuneReport run();

 private:
  /// What was learned along with the best method so far.
  struct BestMethod {
    double mean_f1 = -1;
    std::vector<float> scores;
    std::optional<Combiner> combiner;
    std::vector<float> features;   ///< that the combiner takes
    std::size_t trial = SIZE_MAX;  ///< whose scores and features are still to be computed
  };

  std::size_t threads() const { return snapshot_.voting().threads(); }

  void tell(std::uint64_t documents) {
    if (on_tuning_) on_tuning_(doing_, done_ += documents);
  }

  void begin(const std::string& doing) {
    doing_ = doing;
    done_ = 0;
  }

  /// The kinds of term weights in groups: those of a group are tried together, which keeps all
  /// threads busy, except where it would take too much memory.
  std::vector<std::vector<TermWeightKind>> kinds_at_once() const;

  void try_weights(std::vector<TermWeightKind> kinds);

  bool looks_first(const std::vector<TermWeightKind>& kinds) const {
    return request_.first_look > 0 && kinds.size() > 1 && tasks_.fit().folds() > 1 &&
           truth_.documents / tasks_.fit().folds() >= static_cast<std::size_t>(request_.first_look);
  }

  /// Compares kinds of term weights by their blends on the first fold. Those that are clearly
  /// behind the best are measured there, and dropped.
  void drop_those_behind(std::vector<TermWeightKind>& kinds, std::vector<LeaveOneOut>& known);

  /// Computes what a method that is the best so far goes by, if it is one of these. False if not.
  bool complete(BestMethod& best, std::span<const MethodTrial> trials) const;

  /// Tries the best blend with linear classifiers. What the end needs is computed along with them.
  void try_linear();

  void try_features(const TaggingMethod& method, std::vector<float> features);

  /// Tries the cuts, and keeps the method if it is the best so far: then true. Among blends, the
  /// one with the least log loss before its calibration is the best. `trial`: what complete()
  /// takes.
  bool judge(const TaggingMethod& method, const MeasuredMethod& found, std::size_t trial);

  /// Adds a method with each of its cuts to the report. Returns the place of the best one there.
  std::size_t note(TaggingMethod method, const MeasuredMethod& found, std::size_t documents);

  /// Chooses the blend, since its confidences are probabilities, unless another vote is better by
  /// more than two standard errors of a share. One would not do: that vote is the best of many, so
  /// chance would often put it one standard error ahead.
  void choose();

  /// Makes the tuning of the best method. Weights are learned from all voters.
  void finish();

  void learn_linear(const std::vector<double>& weights);

  /// Fits the blend forward in time, where that makes a difference, so that its confidences hold
  /// for new documents.
  void fit_blend_forward(const TaggingMethod& method);

  void set_thresholds();

  const Snapshot& snapshot_;
  const LabelView labels_;
  const TuneRequest& request_;
  const OnTuning& on_tuning_;
  const TrialTruth truth_;
  const TrialScoring scoring_;
  const FoldedRows& rows_;
  DocumentTicks ticks_;
  TuningTasks tasks_;
  TuneReport report_;
  BestMethod plain_, blend_;
  std::vector<std::vector<float>> blend_weights_;  ///< by learning part, of the best blend
  std::optional<ForwardRows> forward_;
  std::optional<LateParts> late_;  ///< of the best blend; empty if linear classifiers are not tried
  const BestMethod* best_ = nullptr;
  std::size_t plain_place_ = 0, blend_place_ = 0;
  double least_loss_ = std::numeric_limits<double>::infinity();
  std::string doing_;
  std::uint64_t done_ = 0;
};

}  // namespace kindred
