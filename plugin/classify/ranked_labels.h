#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugin/classify/decision_rule.h"
#include "plugin/store/string_table.h"

namespace kindred {

/// A label and its score, above 0.
struct LabelScore {
  std::uint32_t label = 0;
  double score = 0;
};

/// A label that is ranked, and whether it becomes a tag.
struct RankedLabel : LabelScore {
  bool given = false;
};

/// Ranks labels by score descending, then by name, and decides which are given. `scores`: in any
/// order, each label once. `names`: of all labels. `thresholds`: those of the model. `free`:
/// labels, ascending, that do not count toward the number of tags; the caller withholds them.
std::vector<RankedLabel> decide(const DecisionRule& rule, std::span<const LabelScore> scores,
                                const StringTable& names, const std::vector<double>& thresholds,
                                std::span<const std::uint32_t> free = {});

}  // namespace kindred
