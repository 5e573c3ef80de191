#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "config/pulse.h"
#include "gpu/csr.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "gpu/segment_list.h"

namespace kindred {

class Snapshot;

/// All similar pairs among some documents of a snapshot, found by the terms that they must share.
/// For high thresholds that is far less work than to compare each with all others, and gives the
/// same bits. Immutable, so any number of threads may use it.
///
/// Let the terms of each document be ordered by their document frequency, and let its *head* be the
/// shortest beginning whose rest is shorter than the threshold, as a part of the unit vector. If
/// two documents reach the threshold, take the first term in that order that they share. What each
/// has from it on is at least as long as their cosine (Cauchy and Schwarz), so the term is in both
/// heads. Thus only documents whose heads share a term are compared (prefix filtering: Bayardo, Ma
/// and Srikant 2007; the bound by lengths: Anastasiu and Karypis 2014).
class SimilarDocuments {
 public:
  /// `docids`: ascending; borrowed, as the snapshot is.
  /// `threshold`: in (0, 1].
  SimilarDocuments(const Snapshot& snapshot, std::span<const Xapian::docid> docids,
                   double threshold, Pulse pulse = {});

  /// At most so many documents share a term of their heads with the `i`-th.
  std::uint64_t most_compared(std::size_t i) const;

  /// The neighbors of the `i`-th document down to the threshold, itself included, docids ascending.
  /// Their similarities are those that the backend finds with the document as the query.
  std::vector<Neighbor> of(std::size_t i) const;

 private:
  void measure();
  void find_heads();

  const Snapshot& snapshot_;
  const std::span<const Xapian::docid> docids_;
  const double threshold_;
  const Pulse pulse_;
  double longest_ = 0;              ///< of the documents' lengths
  std::vector<double> reciprocal_;  ///< by place
  Csr heads_;                       ///< index in docids_ -> terms of its head, each counted once
  Csr lists_;                       ///< the transpose
};

/// True if all of that takes less work than to ask the backend with every document. It then takes
/// some 100 bytes for each; else it may take more than the mirror does. Arguments as above.
bool shared_terms_are_quicker(const Snapshot& snapshot, std::span<const Xapian::docid> docids,
                              double threshold, const Pulse& pulse = {});

/// True if nothing after these neighbors of the `i`-th document matters.
using VisitNeighbors = std::function<bool(std::size_t i, std::span<const Neighbor> neighbors)>;

/// Calls visit() with the nearest of each document in `among`: a few at first, then twice as many,
/// until it returns true or has got `most`. As many documents at a time as surely fit into memory.
void visit_neighbors(const Snapshot& snapshot, std::span<const Xapian::docid> docids,
                     const DocumentSet& among, std::size_t most, const VisitNeighbors& visit,
                     const Pulse& pulse = {});

/// In first_equal_rows(): the document has no terms, or was not asked about.
inline constexpr std::uint32_t kNoEqualRow = UINT32_MAX;

/// For each of `docids`, by its index there, the index of the first that has the same terms and
/// counts, which may be itself. Only documents of `among` are considered, if it is given.
std::vector<std::uint32_t> first_equal_rows(const SegmentList& mirror,
                                            std::span<const Xapian::docid> docids,
                                            const DocumentSet* among, const Pulse& pulse = {});

}  // namespace kindred
