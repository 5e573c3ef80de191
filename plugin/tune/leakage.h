#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/document_set.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/drift.h"
#include "plugin/tune/parts.h"

namespace kindred {

/// How similar two documents of a label are at random, in the mean, by the snapshot's own weighting
/// and at most `sample` documents.
double label_likeness(const Snapshot& snapshot, const DocumentSet& voters, std::size_t sample,
                      std::uint64_t seed);

/// Of some documents, others that tell more about each than others tell about one that comes later.
using Companions = std::unordered_map<Xapian::docid, std::vector<Xapian::docid>>;

using Groups = std::span<const std::vector<Xapian::docid>>;

struct Relatives {
  /// Near-duplicates, with a similarity of at least 0.6, and those of one thread or source, of at
  /// least 0.3 if their docids are at most 32 before or after; if they are also twice as similar as
  /// documents of a label are at random.
  Companions leaks;
  /// These, and those of one source, near or far: with a label of the document, and twice as
  /// similar as the nearest document without one, and as documents of a label are at random. Where
  /// later documents come of other sources, they have none.
  Companions siblings;
};

/// Finds these among the 64 voters that are most similar to a document, by the snapshot's own
/// weighting. The others of these 64 are added to `drift`. But if a near-duplicate stands before
/// half of the documents, those that come later will repeat others, too, and none are found.
/// @param alike what label_likeness() returns
Relatives relatives_of(const Snapshot& snapshot, const DocumentSet& voters,
                       std::span<const Xapian::docid> docids, double alike, DriftMeasure& drift);

/// Removes the companions of a part's documents from those that vote on the part, and from those
/// that teach what classifies it.
void keep_apart(const Companions& companions, std::span<Part> parts);

/// The same with the other documents of their groups.
void keep_apart(Groups groups, std::span<Part> parts);

}  // namespace kindred
