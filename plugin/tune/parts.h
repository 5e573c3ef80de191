#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/document_set.h"

namespace kindred {

/// Documents that are classified by the others. What classifies a document must not be learned from
/// its own labels.
struct Part {
  std::vector<Xapian::docid> docids;  ///< to classify, ascending
  DocumentSet voting;                 ///< vote on these, each of them but on itself
  DocumentSet teaching;   ///< teach term weights and linear classifiers; none of those classified
  bool is_later = false;  ///< they are later: terms that no teacher has are unknown
  /// Of each label, a document that does not speak for it where the label is not one of the
  /// document that is classified; kNoDocument: all do. Empty: all do for all labels.
  std::vector<Xapian::docid> counterparts = {};
};

/// Splits `voters` into folds (at most 255), and draws at most `sample` of them to be classified,
/// those of a fold as one part. If that is more than half of the voters, the other folds teach what
/// classifies a fold; else voters that are not classified teach what classifies all. The same seed
/// gives the same parts on every machine.
std::vector<Part> split_voters(const DocumentSet& voters, std::size_t folds, std::size_t sample,
                               std::uint64_t seed);

/// True if the same documents teach what classifies each of these parts.
bool share_teaching(std::span<const Part> parts);

/// Draws a counterpart for each label of which all `voters` vote on a part. The labels of a
/// document that is classified lack it, so of each other label one document is silent, too.
/// Otherwise "the label that lacks one" would tell which is right.
void draw_counterparts(const DocumentSet& voters, std::size_t labels, std::span<Part> parts);

/// Draws at most `most` of some documents at random; ascending. The same on every machine.
std::vector<Xapian::docid> drawn(std::vector<Xapian::docid> docids, std::size_t most,
                                 std::uint64_t seed);

}  // namespace kindred
