#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "plugin/tune/combiner/combiner_fit.h"
#include "plugin/tune/cross_fit/leave_one_out.h"
#include "plugin/tune/search/document_ticks.h"
#include "plugin/tune/trials/forward_fit.h"
#include "plugin/tune/trials/trial_scoring.h"
#include "plugin/votes/tuning/tune_request.h"

namespace kindred {

/// The least confidence of a tag by a blend: rare labels would get less.
inline constexpr double kLeastConfidence = 0.1;

/// The folds [first, last).
struct FoldRange {
  std::size_t first = 0, last = 0;
};

/// A method without its cut, and what it is to be measured on.
struct MethodTrial {
  TaggingMethod method;
  const LeaveOneOut* known = nullptr;  ///< borrowed
  const TrialTruth* truth = nullptr;   ///< of the same documents; borrowed
};

/// How well a method does.
struct MeasuredMethod {
  std::vector<CutTrial> cuts;
  double accuracy = 0, calibration_error = 0;
  std::optional<FittedCombiner> fitted;  ///< of VoteKind::kBlend
};

/// What the end of a search needs, once the best blend is known.
struct LateParts {
  std::vector<float> linear;  ///< what CrossFit::run_linear() finds
  FittedWeights weights;      ///< of all voters
  LeaveOneOut latest;         ///< for fit_forward(); empty unless there are rows for it
};

/// The work of a search, as tasks that threads share. Its members are called from one thread.
class TuningTasks {
 public:
  /// Everything but `counts`, those of the snapshot, is borrowed. `ticks`: of the calling thread.
  TuningTasks(const Snapshot& snapshot, const FoldedRows& rows, const TuneRequest& request,
              std::shared_ptr<const CountsInOrders> counts, DocumentTicks& ticks);

  /// Leave-one-out under each of these kinds of term weights, for the rows of some folds.
  /// @param found gets them, by kind; at first CrossFit::nothing_classified(k)
  void leave_one_out(std::span<const TermWeightKind> kinds, std::size_t k, FoldRange folds,
                     std::span<LeaveOneOut> found);

  /// The log loss of each document, for trials of VoteKind::kBlend.
  std::vector<std::vector<double>> losses(std::span<const MethodTrial> trials);

  std::vector<MeasuredMethod> measure(std::span<const MethodTrial> trials);

  /// All that follows, if `method` is the best blend. `known`: weights of that kind.
  LateParts late_parts(const TaggingMethod& method, const LeaveOneOut& known,
                       const std::optional<ForwardRows>& forward);

  const CrossFit& fit() const { return fit_; }
  const CrossFitOptions& options() const { return options_; }
  CrossFit::Tick ticking() const;

 private:
  void run(std::size_t tasks, std::size_t bytes_of_each,
           const std::function<void(std::size_t task)>& work);
  std::size_t bytes_of_weights() const;
  void find_learning_neighbors();
  void learn_once(std::span<const TermWeightKind> kinds, std::span<LeaveOneOut> found);
  MeasuredMethod measured(const MethodTrial& trial) const;

  const Snapshot& snapshot_;
  const FoldedRows& rows_;
  DocumentTicks& ticks_;
  const std::size_t threads_;
  LearningNeighbors learning_;  ///< empty until weights are learned
  CrossFitOptions options_;
  CrossFit fit_;
};

}  // namespace kindred
