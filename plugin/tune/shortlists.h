#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plugin/votes/classes/shortlist.h"

namespace kindred {

/// The shortlists of some documents, one after the other. What is said of each label on them, such
/// as a score, stands in one array for all, in their order.
struct Shortlists {
  std::vector<std::uint64_t> begin{0};  ///< of a document's labels
  std::vector<std::uint32_t> labels;    ///< ascending in a document
  std::vector<float> features;          ///< row-major [labels.size(), kLabelFeatures]

  void add(const Shortlist& list) {
    labels.insert(labels.end(), list.labels.begin(), list.labels.end());
    features.insert(features.end(), list.features.begin(), list.features.end());
    begin.push_back(labels.size());
  }
  void add(const Shortlists& others) {
    for (std::size_t d = 0; d < others.documents(); ++d)
      begin.push_back(labels.size() + others.begin[d + 1]);
    labels.insert(labels.end(), others.labels.begin(), others.labels.end());
    features.insert(features.end(), others.features.begin(), others.features.end());
  }

  std::size_t documents() const { return begin.size() - 1; }
  std::span<const std::uint32_t> labels_of(std::size_t document) const {
    return of(document, std::span(labels));
  }
  std::span<const float> features_of(std::size_t document) const {
    return std::span(features).subspan(begin[document] * kLabelFeatures,
                                       labels_of(document).size() * kLabelFeatures);
  }
  /// A document's part of an array that has one element for each label of the lists.
  template <typename T>
  std::span<T> of(std::size_t document, std::span<T> each) const {
    return each.subspan(begin[document], begin[document + 1] - begin[document]);
  }
};

}  // namespace kindred
