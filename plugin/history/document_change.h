#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

/// What a label is to a document: one bit for each way in which it may hold it.
using LabelState = std::uint8_t;
inline constexpr LabelState kGivenState = 1;      ///< people gave it
inline constexpr LabelState kPredictedState = 2;  ///< Kindred gave it
inline constexpr LabelState kRejectedState = 4;   ///< the document must not get it
inline constexpr LabelState kAllStates = 7;

/// What became of one label of a document.
struct LabelStep {
  /// "" for all predicted tags together: they are rejected while the document opted out.
  std::string label;
  LabelState before = 0;
  LabelState after = 0;
  double confidence = 0;  ///< of a predicted tag that came or went

  bool is_predicted() const { return ((before ^ after) & kPredictedState) != 0; }
  bool operator==(const LabelStep&) const = default;
};

/// What became of the labels of one document in one commit.
struct DocumentChange {
  std::string id;           ///< the unique id, or the docid in digits if there is none
  Xapian::docid docid = 0;  ///< 0 if it was not known yet: then the id is unique
  std::vector<LabelStep> labels;

  bool operator==(const DocumentChange&) const = default;
};

}  // namespace kindred
