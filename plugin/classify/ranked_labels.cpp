#include "plugin/classify/ranked_labels.h"

#include <algorithm>

namespace kindred {

std::vector<RankedLabel> decide(const DecisionRule& rule, std::span<const LabelScore> scores,
                                const StringTable& names, const std::vector<double>& thresholds,
                                std::span<const std::uint32_t> free) {
  std::vector<RankedLabel> ranked;

  // Only one label is asked about: it is given, whatever the others get.
  if (rule.asked) {
    const auto asked = std::ranges::find(scores, *rule.asked, &LabelScore::label);
    if (asked != scores.end()) ranked.push_back({*asked, true});
    return ranked;
  }

  for (const LabelScore& score : scores) ranked.push_back({score, false});
  std::ranges::sort(ranked, [&](const LabelScore& a, const LabelScore& b) {
    if (a.score != b.score) return a.score > b.score;
    return names[a.label] < names[b.label];
  });

  // The first labels that reach their thresholds are given, up to the limit. Labels that cannot be
  // given take no place of others.
  std::size_t left = rule.max_labels;
  for (RankedLabel& label : ranked) {
    if (left == 0) break;
    if (std::binary_search(rule.never.begin(), rule.never.end(), label.label)) continue;
    label.given = label.score >= rule.threshold_of(label.label, thresholds);
    const bool is_free = std::binary_search(free.begin(), free.end(), label.label);
    if (label.given && !is_free) --left;
  }

  return ranked;
}

}  // namespace kindred
