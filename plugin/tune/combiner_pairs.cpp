#include "plugin/tune/combiner_pairs.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "plugin/votes/combiner.h"

namespace kindred {
namespace {

constexpr std::array<LabelFeature, 4> kTelling = {kShare, kCosine, kProfile, kLinear};

/// The least value of a feature that is among the largest. A share of 0 never is, nor is any value
/// of a feature that is the same for all labels.
float least_of_best(std::span<const float> features, LabelFeature feature,
                    std::vector<float>& values) {
  values.clear();
  for (std::size_t i = feature; i < features.size(); i += kLabelFeatures) {
    if (feature != kShare || features[i] > 0) values.push_back(features[i]);
  }
  if (std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end())
    return std::numeric_limits<float>::infinity();
  if (values.size() <= kBestLabels) return *std::ranges::min_element(values);
  const auto last = values.begin() + kBestLabels - 1;
  std::nth_element(values.begin(), last, values.end(), std::greater<>());
  return *last;
}

/// For each label how many pairs it stands for; 0 if it is left out.
class LabelChoice {
 public:
  LabelChoice(std::size_t document, std::span<const float> features)
      : document_(document), features_(features), labels_(features.size() / kLabelFeatures) {
    if (labels_ <= kAllLabels) return;
    std::vector<float> values;
    for (std::size_t i = 0; i < kTelling.size(); ++i)
      least_[i] = least_of_best(features, kTelling[i], values);
  }

  float weight(std::size_t label, bool is_true) const {
    if (is_true || labels_ <= kAllLabels) return 1;
    for (std::size_t i = 0; i < kTelling.size(); ++i) {
      if (features_[label * kLabelFeatures + kTelling[i]] >= least_[i]) return 1;
    }
    return (label + 7 * document_) % kOthersEach == 0 ? kOthersEach : 0;
  }

 private:
  const std::size_t document_;
  const std::span<const float> features_;
  const std::size_t labels_;
  std::array<float, kTelling.size()> least_{};
};

}  // namespace

void add_pairs(std::size_t document, std::span<const float> features,
               std::span<const std::uint32_t> truth, std::vector<CombinerRow>& room,
               std::vector<CombinerPair>& pairs) {
  room.resize(features.size() / kLabelFeatures);
  expand(features, room);
  const LabelChoice choice(document, features);
  auto own = truth.begin();
  for (std::size_t label = 0; label < room.size(); ++label) {
    const bool is_true = own != truth.end() && *own == label;
    if (is_true) ++own;
    const float weight = choice.weight(label, is_true);
    if (weight == 0) continue;
    CombinerPair& pair = pairs.emplace_back();
    std::transform(room[label].begin() + 1, room[label].end(), pair.row.begin(),
                   [](double value) { return static_cast<float>(value); });
    pair.weight = weight;
    pair.is_true = is_true;
  }
}

}  // namespace kindred
