#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plugin/store/string_table.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/label_comparison.h"
#include "plugin/votes/classes/linear_comparison.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/neighbor_votes.h"

namespace kindred {

/// The labels that a document may have, and their features.
struct Shortlist {
  std::vector<std::uint32_t> labels;  ///< ascending
  std::vector<float> features;        ///< row-major [labels.size(), kLabelFeatures]
};

/// If there are no more labels than this, all are listed.
inline constexpr std::uint32_t kFewLabels = 64;
/// How many labels are listed since linear classifiers find them the most likely.
inline constexpr std::size_t kListedByLinear = 64;

/// A label of the mirror, and its name that is most like a text.
struct NamedLabel {
  std::uint32_t label = 0;
  double similarity = 0;    ///< as NamedTerm
  double whole_length = 0;  ///< NamedTerm::length, or 0 if a word of the name is not in the text
  std::uint32_t row = 0;    ///< as NamedTerm
};

/// A document for which labels are listed. Everything is borrowed.
struct ListedDocument {
  SparseVector query{};                   ///< its unit vector
  std::span<const Neighbor> neighbors{};  ///< end at the first kNoDocument
  const LeftOut* left_out = nullptr;      ///< itself, if it is in the sums
  /// As FewLabels gives them, to the power of kFewPower; null where there are many voters.
  const std::vector<Neighbor>* few = nullptr;
  std::span<const NamedLabel> named{};  ///< whose names are near, by labels ascending
  /// If the classifiers were learned from it, its labels, ascending.
  std::span<const std::uint32_t> learned{};
  std::span<const std::uint32_t> silent{};  ///< as NeighborVotes::count() takes it
};

/// Lists labels of one document after another: all if there are at most kFewLabels, else those that
/// a neighbor has, the kListedByLinear with the largest linear values, and those whose names are
/// near. Equal values go by names, so the list does not depend on the numbers of labels. A label
/// without documents is on no list. For one thread.
class Shortlister {
 public:
  /// All are borrowed. `linear`: null without classifiers. `names`: of all labels.
  Shortlister(const ClassSums& sums, const LinearVotes* linear, const SegmentList& mirror,
              const StringTable& names);

  /// The list, until the next call.
  const Shortlist& list(const ListedDocument& document);

 private:
  void choose(const ListedDocument& document);

  const SegmentList& mirror_;
  const StringTable& names_;
  LabelComparison comparison_;
  NeighborVotes votes_;
  NeighborVotes few_votes_;
  std::optional<LinearComparison> linear_;
  std::vector<std::uint32_t> candidates_;  // that may be listed, ascending
  Shortlist list_;
};

}  // namespace kindred
