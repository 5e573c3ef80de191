#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/knn/backend.h"
#include "gpu/queries.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/votes/classes/sparse_vector.h"

namespace kindred {

/// The voters of VoteKind::kFew, for an index of which people have labeled little. A text and a
/// voter need not have a word in common: both have moved toward the ten documents of the whole
/// index that are most like them, labeled or not, but for copies of them (add_moved()). The view is
/// the snapshot's by_lift(). With s the cosine of a text and a voter v after both have moved, and
/// h(v) the mean of s between v and the ten voters that are most like it, v counts by the square of
///
///     s' = s / (h(v) + .05)
///
/// among the k largest of the text: a voter that is like many others tells less (local scaling:
/// Zelnik-Manor and Perona 2004). s is a sum of integers, so no order of terms matters.
///
/// Immutable, so any number of threads may use it.
class FewLabels {
 public:
  /// Of more voters, about as many are heard: those with the least hashes of the docid.
  static constexpr std::size_t kMostVoters = 500;
  /// The k of what is counted where nobody chooses another.
  static constexpr std::size_t kCounted = 30;

  /// The snapshot is borrowed. @throws Error as Backend::nearest().
  FewLabels(const Snapshot& snapshot, const DocumentSet& voters);

  /// The same without some documents, ascending: no voter moves toward them, and none of them
  /// votes. h(v) and threshold() stay.
  FewLabels apart_from(std::vector<Xapian::docid> unknown) const;

  /// The texts after they have moved. `texts`: queries of by_lift(). `own`: the document of each,
  /// which it does not move toward, or kNoDocument. @throws Error as Backend::nearest().
  Queries moved(const QueryView& texts, std::span<const Xapian::docid> own) const;

  /// Who is heard.
  struct Hearing {
    const DocumentSet* among = nullptr;   ///< only these voters; null: all
    Xapian::docid without = kNoDocument;  ///< the document of the text: as if it were not there
    std::size_t k = kCounted;
    double min_similarity = 0;  ///< that s has to reach
  };

  /// The k voters with the largest s' to a text that has moved, and those that equal the last of
  /// them: by s', then by docid, each with s' as its similarity.
  std::vector<Neighbor> nearest(const SparseVector& moved, const Hearing& hearing) const;
  /// The same for a voter as a text, which does not hear itself. None for another document.
  std::vector<Neighbor> nearest(Xapian::docid voter, Hearing hearing) const;

  /// True if every voter has exactly one label: then a text gets one, too.
  bool single_label() const { return single_label_; }
  /// The confidence at which voters, each by the others, would get as many tags as people gave them
  /// in the mean; from .2 to .35, and 0 where texts get one label each.
  double threshold() const { return threshold_; }

  std::size_t bytes() const;  ///< in main memory, besides the snapshot

 private:
  bool is_known(Xapian::docid docid, Xapian::docid without) const;
  std::span<const Neighbor> near(std::size_t voter) const;
  void find_near(const Queries& vectors);
  void add_moved_voter(std::size_t voter, const SparseVector& vector, Xapian::docid without,
                       Queries& moved) const;
  void move_voters(const Queries& vectors);
  void index_rows();
  void measure_density();
  void find_threshold();
  std::vector<double> similarities(const SparseVector& moved) const;
  void forget(const SparseVector& moved, Xapian::docid without,
              std::vector<double>& similarities) const;

  const Snapshot& snapshot_;
  const std::vector<Xapian::docid> voters_;  // ascending, also those that are unknown
  std::vector<Xapian::docid> unknown_;       // ascending
  std::vector<Neighbor> near_;  // of each voter, more than it moves toward: some may be unknown
  std::vector<std::pair<Xapian::docid, std::uint32_t>> moves_;  // a document, and who is near it
  Queries rows_;                                                // of each voter, after it has moved
  std::vector<double> density_;                                 // h + .05 of each

  // The rows by term: of terms_[i], the entries from begin_[i] to begin_[i + 1].
  std::vector<std::uint32_t> terms_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> voter_;  // as a place in voters_
  std::vector<double> weight_;

  bool single_label_ = false;
  double threshold_ = 0;
};

/// How much of the confidence of a label counts where so many voters are heard: n / (n + 1), as if
/// there were one more that says nothing. So what a single document says is no certainty.
double certainty_of(std::size_t heard);

}  // namespace kindred
