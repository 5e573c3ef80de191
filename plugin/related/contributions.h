#pragma once

#include <xapian.h>
#include <vector>

#include "plugin/mirror/mirror.h"
#include "plugin/questions.h"
#include "plugin/snapshot/view.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

/// The contributions of terms to the similarity between a query of unit length and a document by a
/// view: one for each shared term of positive weight, largest first, then by term. They add up to
/// the similarity (docs/scoring.md). Their words are left empty.
std::vector<api::TermContribution> contributions(const Mirror& mirror, const View& view,
                                                 const SparseVector& query, Xapian::docid docid);

}  // namespace kindred
