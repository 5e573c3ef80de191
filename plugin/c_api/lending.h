#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/kindred.h"

namespace kindred {

/// What these return borrows from the argument.
inline kindred_string lend(const std::string& text) { return {text.c_str(), text.size()}; }
inline kindred_tag lend(const Tag& tag) { return {lend(tag.label), tag.confidence}; }

/// The arrays that a result points to. They stay where they are until it goes; what is in them
/// borrows from the answer.
class LentArrays {
 public:
  template <typename T>
  const T* keep(std::vector<T> array) {
    if (array.empty()) return nullptr;
    auto kept = std::make_shared<const std::vector<T>>(std::move(array));
    arrays_.push_back(kept);
    return kept->data();
  }

  /// What make() makes of each item, in their order.
  template <typename Item, typename Make>
  auto keep_each(const std::vector<Item>& items, Make&& make) {
    std::vector<decltype(make(items.front()))> made;
    made.reserve(items.size());
    for (const Item& item : items) made.push_back(make(item));
    return keep(std::move(made));
  }

  const kindred_string* names(const std::vector<std::string>& names);
  const kindred_tag* tags(const std::vector<Tag>& tags);
  kindred_neighbor neighbor(const Voter& voter);
  const kindred_neighbor* neighbors(const std::vector<Voter>& voters);
  /// `neighbors`: those to which the reason refers.
  kindred_reason reason(const TagReason& reason, const kindred_neighbor* neighbors);
  const kindred_reason* reasons(const std::vector<TagReason>& reasons,
                                const kindred_neighbor* neighbors);
  const kindred_term* terms(const std::vector<TermContribution>& terms);

 private:
  std::vector<std::shared_ptr<const void>> arrays_;
};

}  // namespace kindred
