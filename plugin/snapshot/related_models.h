#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "plugin/mirror/mirror.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/votes/weights/related_weights.h"

namespace kindred {

/// Term weights, and a backend of the mirror under them. Borrowed.
struct RelatedModel {
  const TermWeighting& weighting;
  const Backend& backend;
};

/// The same, owned.
class OwnRelatedModel {
 public:
  /// Weights that come from `information`, which is looked at as by related_term_weights().
  /// `weighting` and `backend` are those of the snapshot of `mirror`.
  /// @throws Error as Backend::refreshed().
  OwnRelatedModel(RelatedWeights kind, const LabelInformation& information, const Mirror& mirror,
                  const TermWeighting& weighting, const Backend& backend);
  /// The same for a mirror that grew by `change` out of that of `before`.
  OwnRelatedModel(RelatedWeights kind, const LabelInformation& information,
                  const TermWeighting& weighting, const OwnRelatedModel& before,
                  const MirrorChange& change);
  OwnRelatedModel(const OwnRelatedModel&) = delete;  // the backend borrows the weighting
  OwnRelatedModel& operator=(const OwnRelatedModel&) = delete;

  RelatedModel model() const { return {weighting_, *backend_}; }
  std::size_t bytes() const;  ///< of main memory

 private:
  const TermWeighting weighting_;
  const std::unique_ptr<const Backend> backend_;
};

/// The models by which related documents of one snapshot are found, one for each kind of weights.
/// What terms tell of labels is what the tuning says. Without a tuning that does, it comes from the
/// labels that the mirror has.
///
/// A model is made when it is first asked for. It follows from that of an earlier mirror in
/// proportion to the change. But without a tuning, where labeled documents came, left or changed,
/// weights by labels are made from all documents again when they are next asked for. Either way, a
/// model equals one that is made from nothing. Any number of threads may share it.
class RelatedModels {
 public:
  /// Everything is borrowed. `weighting`, `backend`: those of the snapshot. `tuning`: may be null.
  RelatedModels(const Mirror& mirror, const TermWeighting& weighting, const Backend& backend,
                const Tuning* tuning, std::size_t threads);
  RelatedModels(const RelatedModels&) = delete;
  RelatedModels& operator=(const RelatedModels&) = delete;

  /// Takes over what `before` has made, which may be destroyed afterwards. Called before all
  /// others, in one thread. `before`: of the mirror that this one is, or out of which it grew by
  /// `change`.
  void follow(const RelatedModels& before, const MirrorChange& change);

  /// If labels tell nothing, since there are not two of them, the model of kIdf. That of kSmart is
  /// the snapshot's own. It may be used as long as this.
  /// @throws Error as Backend::refreshed().
  RelatedModel of(RelatedWeights kind) const;

  std::size_t bytes() const;  ///< of main memory, without what is borrowed

 private:
  template <typename Value>
  struct Lazy {
    std::once_flag once;
    std::shared_ptr<const Value> value;
    std::atomic<bool> made = false;  ///< for those that do not wait for `once`

    template <typename Make>
    const Value& get(Make&& make) {
      std::call_once(once, [&] {
        value = make();
        made.store(true, std::memory_order_release);
      });
      return *value;
    }
    bool has() const { return made.load(std::memory_order_acquire); }
  };

  bool is_told() const { return tuning_ != nullptr; }
  LabelInformation told_information() const;
  bool has_same_information(const RelatedModels& before) const;
  bool has_same_voters(const RelatedModels& before) const;
  const LabelInformation& information() const;

  const Mirror& mirror_;
  const TermWeighting& weighting_;
  const Backend& backend_;
  const Tuning* const tuning_;
  const std::size_t threads_;
  mutable Lazy<LabelInformation> information_;
  mutable std::array<Lazy<OwnRelatedModel>, kRelatedWeightNames.size()> models_;  ///< of each kind
};

}  // namespace kindred
