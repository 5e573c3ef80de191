#include "plugin/vocabulary/label_hierarchy.h"

#include "plugin/store/terms.h"
#include "plugin/vocabulary/meant_label.h"

namespace kindred {

LabelHierarchy::LabelHierarchy(const Vocabulary& vocabulary, const StringTable& labels) {
  for (std::uint32_t label = 0; label < labels.size(); ++label) {
    const auto term = vocabulary.find(labels[label]);
    if (term) {
      for (const std::uint32_t above : vocabulary.all_broader(*term)) {
        const auto number = labels.find(vocabulary.id(above));
        if (number) above_.push_back(*number);
      }
    }
    begin_.push_back(above_.size());
  }
}

std::vector<std::string> branch_of(const std::string& text, const Mirror& mirror,
                                   const Vocabulary* vocabulary) {
  std::vector<std::string> labels = {meant_label(text, mirror, vocabulary)};
  if (vocabulary == nullptr) return labels;

  const auto term = vocabulary->find(label_name(labels.front()));
  if (!term) return labels;
  for (const std::uint32_t below : vocabulary->all_narrower(*term))
    labels.emplace_back(vocabulary->id(below));
  return labels;
}

}  // namespace kindred
