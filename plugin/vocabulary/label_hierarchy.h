#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plugin/mirror/mirror.h"
#include "plugin/store/string_table.h"
#include "plugin/vocabulary/vocabulary.h"

namespace kindred {

/// Which labels of a mirror are broader than others, as a vocabulary has it. Immutable.
class LabelHierarchy {
 public:
  LabelHierarchy(const Vocabulary& vocabulary, const StringTable& labels);

  /// The labels above one of them, at any distance.
  std::span<const std::uint32_t> above(std::uint32_t label) const {
    return std::span(above_).subspan(begin_[label], begin_[label + 1] - begin_[label]);
  }

  /// True if no label is above another.
  bool is_flat() const { return above_.empty(); }

 private:
  std::vector<std::size_t> begin_{0};  ///< of a label's, in above_
  std::vector<std::uint32_t> above_;
};

/// The label that is meant by a text, as meant_label(), and the ids of all terms below it.
/// @throws Error as meant_label().
std::vector<std::string> branch_of(const std::string& text, const Mirror& mirror,
                                   const Vocabulary* vocabulary);

}  // namespace kindred
