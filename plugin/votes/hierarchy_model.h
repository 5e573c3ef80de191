#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugin/vocabulary/label_hierarchy.h"

namespace kindred {

/// What the labels on a document's shortlist that are below or above another one say of it.
struct KinOnShortlist {
  double below = 0;  ///< the largest probability of a narrower label, 0 without one
  double above = 0;  ///< of a broader one
};

/// For each label of a shortlist, which ascend. `probabilities`: of these.
template <typename Probability>
std::vector<KinOnShortlist> kin_of(const LabelHierarchy& hierarchy,
                                   std::span<const std::uint32_t> labels,
                                   std::span<const Probability> probabilities);

/// What people do where a label and a broader one both seem right: some give both, most only the
/// narrower one. The log-odds of a label on a shortlist become
///
///     z + below * (KinOnShortlist::below) + above * (KinOnShortlist::above)
///
/// A tuning learns both. By default nothing changes.
struct HierarchyModel {
  double below = 0;
  double above = 0;
  /// Of the documents that have a label below another one, the share that has a label above it,
  /// too; 0 if there are none.
  double both = 0;

  bool operator==(const HierarchyModel&) const = default;

  bool is_used() const { return below != 0 || above != 0; }

  double corrected(double probability, const KinOnShortlist& kin) const;

  /// Corrects all probabilities of a shortlist.
  template <typename Probability>
  void correct(const LabelHierarchy& hierarchy, std::span<const std::uint32_t> labels,
               std::span<Probability> probabilities) const;
};

}  // namespace kindred
