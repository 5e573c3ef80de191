#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/csr.h"
#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/vocabulary/vocabulary.h"
#include "plugin/votes/classes/shortlist.h"
#include "plugin/votes/classes/sparse_vector.h"
#include "plugin/votes/suggestion_model.h"

namespace kindred {

/// A second mirror, of the terms of the vocabulary: each name and each synonym is a row of its own,
/// with the words that it has, analyzed as texts of its language are, over the dictionary of the
/// index. So the names that a text speaks of are found as documents are that are like it: by the
/// cosine, weighed as the snapshot's weighting() says.
///
/// Deprecated terms have no rows. Nor has a name with a word that no document has: what remains of
/// it may mean something else. Immutable, so any number of threads may use it.
class TermMirror {
 public:
  /// The snapshot, which has a vocabulary, is borrowed. `languages`: of the texts of the index, in
  /// each of which a name is read that says none. @throws Error as make_backend().
  TermMirror(const Snapshot& snapshot, const IndexSettings& settings, AnalyzerPool& analyzers,
             std::vector<std::string> languages);

  const Vocabulary& vocabulary() const { return *vocabulary_; }

  /// How many documents have a term as a label.
  std::uint32_t documents_of(std::size_t term) const;

  /// The rows of terms that no document has, and of those that at most one has.
  const DocumentSet& unused_rows() const { return unused_; }
  DocumentSet rows_of_rare() const;

  /// For each text, weighed by the snapshot's weighting(), the terms of the `most` rows that are
  /// most like it, best first, then by their ids. Only rows of `among`. @throws Error as
  /// Backend::nearest().
  std::vector<std::vector<NamedTerm>> nearest(const QueryView& texts, std::size_t most,
                                              const DocumentSet& among) const;

  /// The labels of the mirror whose names are most like each text, weighed as above, by labels
  /// ascending. @throws Error as above.
  std::vector<std::vector<NamedLabel>> named_labels(const QueryView& texts) const;

  /// The words of a name (NamedTerm::row) that a text has, a term of the dictionary each, and what
  /// each adds to the similarity; largest first. `text`: weighed as above.
  std::vector<api::TermContribution> shared_words(const SparseVector& text,
                                                  std::uint32_t row) const;

  std::size_t bytes() const;  ///< of main memory, besides the snapshot

 private:
  template <typename IsIn>
  DocumentSet rows_of(IsIn&& is_in) const;
  NamedTerm named_by(std::uint32_t row, double similarity,
                     std::span<const std::uint32_t> words) const;

  const Snapshot& snapshot_;
  const std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<std::optional<std::uint32_t>> label_;  // of each term, as the mirror numbers it
  std::vector<std::uint32_t> term_of_;               // of each row
  Csr rows_;
  std::vector<double> length_;  // of each row, weighed
  SegmentListPointer list_;
  std::unique_ptr<const Backend> backend_;
  DocumentSet used_;    // rows of terms that a document has
  DocumentSet unused_;  // of the others
};

}  // namespace kindred
