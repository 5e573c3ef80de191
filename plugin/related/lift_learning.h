#pragma once

#include <cstddef>
#include <string>

#include "plugin/progress.h"
#include "plugin/snapshot/neighbor_lift.h"

namespace kindred {

class Snapshot;

/// Fewer documents tell too little: with 100, as many collections lose as gain.
inline constexpr std::size_t kFewestForLift = 200;

/// Learns from a sample of the documents, by a hash of the docid, and their ten nearest in the
/// whole index, three times over: first by the roots of idf, then by the weights just found. With
///
///     h(t)  the documents of the sample that have term t
///     p(t)  the pairs of such a document and a neighbor that has the term, too
///     lift = max(.05, ln((p N + 100 df) / (10 df (h + 2))))
///     idf  = max(.05, ln(N / df))
///
/// a term weighs the root of lift^(3/4) idf^(1/4): in a cosine, both documents bring it (Wilbur and
/// Sirotkin 1992, "The automatic identification of stop words", for the strength of a term).
/// Documents with the same terms are no neighbors of each other, since they would share every word.
///
/// The roots of idf are kept instead where they are clearly better. The terms are split into halves
/// by a hash. For up to 1,000 documents, the ten nearest are found by one half, and their mean
/// similarity is taken by the other half, always by the roots of idf there. Idf is better if the
/// mean gain of a document is more than three of its standard errors.
///
/// Counts are whole numbers, and similarities are added up here, in one order. So the result
/// depends neither on the backend nor on threads.
/// @throws Error as Backend::nearest(); whatever on_tuning throws.
NeighborLift learn_lift(const Snapshot& snapshot, const std::string& smart,
                        const OnTuning& on_tuning = {});

}  // namespace kindred
