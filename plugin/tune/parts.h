#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/document_set.h"
#include "gpu/queries.h"
#include "gpu/workers.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/tune/combiner_fit.h"

// In leave-one-out, later documents vote on earlier ones, but a new document has no later ones. So
// if a collection drifts, both accuracy and confidences by leave-one-out are too high.

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

/// How similar two documents of a label are at random, in the mean, by the snapshot's own weighting
/// and at most `sample` documents.
double label_likeness(const Snapshot& snapshot, const DocumentSet& voters, std::size_t sample,
                      std::uint64_t seed);

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

/// At most `most` of the latest tenth of the voters by docid, drawn by `seed`, to be classified by
/// the earlier ones. None if their labels are too different from those of all: then docids follow
/// subjects rather than time.
Part latest(const Mirror& mirror, const DocumentSet& voters, std::size_t most, std::uint64_t seed);

/// A mean over documents, and how far chance may lead it.
class MeanOfDocuments {
 public:
  void add(double of_document);
  double mean() const { return documents_ > 0 ? sum_ / documents_ : 0; }
  double clear() const;  ///< the mean if it is above two standard errors, else 0
  bool is_clearly_above(const MeanOfDocuments& other) const;  ///< by two standard errors
  /// The mean as far as it is not chance: less the square of its standard error over the mean
  /// (James and Stein); 0 if it is not above its standard error.
  double shrunk() const;

 private:
  double standard_error() const;

  double documents_ = 0, sum_ = 0, squares_ = 0;
};

/// How much better documents know each other at random than the earlier ones know the later ones,
/// label by label, so that collections count that are sorted by label.
///
/// The age of a document is the share of its labels' documents that come before it. Each document
/// that is not among the earlier half of its labels is voted on twice by its most similar voters,
/// by those of the earlier half, and by every second one; the loss is the share of these documents
/// whose best label is then true less often.
class DriftMeasure {
 public:
  /// `mirror` is borrowed.
  DriftMeasure(const Mirror& mirror, const DocumentSet& voters);

  /// @param nearest what may vote on a voter, by similarity, without the voter
  void add(Xapian::docid docid, std::span<const Neighbor> nearest);

  double loss() const { return loss_.clear(); }  ///< a share of documents; 0 if it is not clear

 private:
  const Mirror& mirror_;
  std::vector<double> age_;    // of the voter at each place
  std::vector<double> votes_;  // of each label; 0 between calls
  MeanOfDocuments loss_;
};

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

/// Half of the voters: of the documents of each label, in the order of their docids, every second
/// one, and the first. Siblings come into one half, but for those by which it would have more than
/// half of a label.
DocumentSet half_of(const DocumentSet& voters, const Companions& siblings);

/// The known blend, calibrated by the latest documents as the earlier ones classify them. Its order
/// of labels stays, since the latest documents are too few to tell it better than all do. None if
/// that does not pay: calibrated by the first half of them, it must have a lower mean log loss on
/// the other, by a clear difference of at least 0.01.
/// @param known the blend that was fitted by leave-one-out
/// @param features of the latest documents, as CrossFit::features_of() finds them
std::optional<Combiner> fit_forward(const Combiner& known, const TrueLabels& truth,
                                    std::span<const float> features, std::size_t threads);

/// Draws at most `most` of some documents at random; ascending. The same on every machine.
std::vector<Xapian::docid> drawn(std::vector<Xapian::docid> docids, std::size_t most,
                                 std::uint64_t seed);

/// Documents as queries, in their order: what weigh(docid, queries) appends for each, called by
/// several threads.
template <typename Weigh>
Queries weighed(std::span<const Xapian::docid> docids, std::size_t threads, Weigh&& weigh) {
  constexpr std::size_t kWeighedAtOnce = 64;
  std::vector<Queries> parts(number_of_chunks(docids.size(), kWeighedAtOnce));
  for_each_chunk(docids.size(), kWeighedAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    Queries& part = parts[begin / kWeighedAtOnce];
    for (const Xapian::docid docid : docids.subspan(begin, end - begin)) weigh(docid, part);
  });
  Queries all;
  for (const Queries& part : parts) all.append(part);
  return all;
}

}  // namespace kindred
