#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kindred {

/// The labels that people gave to some documents, which are dealt into folds.
struct TrueLabels {
  std::size_t documents = 0;
  std::size_t labels = 0;
  std::vector<std::uint64_t> begin{0};  ///< of a document's labels in `label`
  std::vector<std::uint32_t> label;     ///< ascending in a document
  std::vector<std::uint8_t> fold;       ///< of a document
  std::size_t folds = 0;

  void add(std::span<const std::uint32_t> own, std::uint8_t own_fold) {
    ++documents;
    label.insert(label.end(), own.begin(), own.end());
    begin.push_back(label.size());
    fold.push_back(own_fold);
  }

  std::span<const std::uint32_t> of(std::size_t document) const {
    return std::span(label).subspan(begin[document], begin[document + 1] - begin[document]);
  }
  bool has(std::size_t document, std::size_t wanted) const {
    return std::ranges::binary_search(of(document), wanted);
  }
  std::uint64_t most_labels() const {  ///< of a document
    std::uint64_t most = 0;
    for (std::size_t d = 0; d < documents; ++d) most = std::max<std::uint64_t>(most, of(d).size());
    return most;
  }
  bool single_label() const {  ///< every document has exactly one
    return most_labels() == 1 && label.size() == documents;
  }
};

}  // namespace kindred
