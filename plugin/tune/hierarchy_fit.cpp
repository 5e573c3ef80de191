#include "plugin/tune/hierarchy_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/ratio.h"
#include "plugin/tune/convex_fit.h"

namespace kindred {
namespace {

constexpr double kKinRidge = 2;
constexpr double kLeastCompany = 0.01;  // probabilities of company below it say nothing

/// A label on a shortlist on which it is not the only one of its branch.
struct KinExample {
  FitRow<2> kin;  ///< KinOnShortlist::below and above
  double z;       ///< its log-odds
  bool is_true;
};

std::vector<KinExample> examples_of(const LabelHierarchy& hierarchy, std::span<const float> scores,
                                    const Shortlists& lists, const TrueLabels& truth) {
  std::vector<KinExample> examples;
  for (std::size_t d = 0; d < truth.documents; ++d) {
    const auto labels = lists.labels_of(d);
    const auto own = lists.of(d, scores);
    const std::vector<KinOnShortlist> kin = kin_of<float>(hierarchy, labels, own);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const bool has_company = std::max(kin[i].below, kin[i].above) >= kLeastCompany;
      if (!has_company || !(own[i] > 0) || !(own[i] < 1)) continue;
      const double p = own[i];
      examples.push_back(
          {{kin[i].below, kin[i].above}, std::log(p / (1 - p)), truth.has(d, labels[i])});
    }
  }
  return examples;
}

/// HierarchyModel::both.
double share_of_both(const LabelHierarchy& hierarchy, const TrueLabels& truth) {
  double narrow = 0;
  double both = 0;
  for (std::size_t d = 0; d < truth.documents; ++d) {
    bool has_narrow = false;
    bool has_both = false;
    for (const std::uint32_t label : truth.of(d)) {
      const auto above = hierarchy.above(label);
      has_narrow = has_narrow || !above.empty();
      has_both = has_both || std::ranges::any_of(above, [&](std::uint32_t broader) {
                   return truth.has(d, broader);
                 });
    }
    if (has_narrow) ++narrow;
    if (has_both) ++both;
  }
  return ratio_or_zero(both, narrow);
}

}  // namespace

HierarchyModel fit_hierarchy(const LabelHierarchy& hierarchy, std::span<const float> scores,
                             const Shortlists& lists, const TrueLabels& truth) {
  const std::vector<KinExample> examples = examples_of(hierarchy, scores, lists, truth);
  const auto loss_at = [&](const FitRow<2>& b) {
    Loss<2> loss;
    for (const KinExample& example : examples)
      loss.add_logistic(example.kin, example.is_true, b, example.z);
    loss.add_ridge(0, kKinRidge, b[0]);
    loss.add_ridge(1, kKinRidge, b[1]);
    return loss;
  };

  const FitRow<2> fitted = minimize(FitRow<2>{}, loss_at);
  return {fitted[0], fitted[1], share_of_both(hierarchy, truth)};
}

}  // namespace kindred
