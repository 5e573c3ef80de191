#include "plugin/tag_limits.h"

#include <algorithm>
#include <utility>

namespace kindred {

void withhold(Classification& classification, const TagLimits& limits, std::size_t max_labels) {
  const auto forbidden = [&](const Tag& tag) {
    return !limits.auto_tag || std::find(limits.rejected.begin(), limits.rejected.end(),
                                         tag.label) != limits.rejected.end();
  };
  std::vector<Tag> given;
  for (Tag& tag : classification.tags) {
    const bool may = !forbidden(tag);
    if (may && given.size() == max_labels) continue;
    (may ? given : classification.withheld).push_back(std::move(tag));
  }
  classification.tags = std::move(given);
  if (!classification.best || !forbidden(*classification.best)) return;
  classification.best.reset();
  if (!classification.tags.empty()) classification.best = classification.tags.front();
}

}  // namespace kindred
