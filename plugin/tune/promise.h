#pragma once

#include <xapian.h>
#include <span>
#include <unordered_map>
#include <vector>

#include "plugin/tune/cross_fit.h"
#include "plugin/tune/drift.h"
#include "plugin/tune/leakage.h"
#include "plugin/tune/mean_of_documents.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/thresholds.h"
#include "plugin/tune/tune_report.h"

// What leave-one-out does not tell of documents that come later, measured on about 400 documents,
// each compared with itself.

namespace kindred {

/// The labels of the parts' documents, one part after the other; a part is a fold.
TrueLabels true_labels(const Mirror& mirror, std::span<const Part> parts);

/// Documents that classify each other, without what tells more than others will tell about those
/// that come later.
struct Split {
  std::vector<Part> parts;
  Relatives relatives;  ///< of the documents that are classified
};

/// Splits voters of a snapshot as split_voters() does, at most `sample` of them to be classified.
/// What leaks to documents of a part, and their groups, are kept apart from it, and counterparts
/// are drawn. Where the same documents teach all parts, siblings of those in enough_of() do not
/// teach.
Split split_apart(const Snapshot& snapshot, const DocumentSet& voters, Groups groups,
                  std::size_t sample, std::uint64_t seed, DriftMeasure& drift);

/// The first parts, until they have the documents that are enough to measure something once more.
std::span<const Part> enough_of(std::span<const Part> parts);

/// Compares how documents are tagged with how they are tagged in other ways.
class Promise {
 public:
  /// Everything is borrowed.
  /// @param split of `voters`
  /// @param scores by leave-one-out, of the labels on the shortlists of the split's documents
  Promise(const Snapshot& snapshot, const DocumentSet& voters, Groups groups, const Split& split,
          std::span<const float> scores, const Shortlists& lists);

  /// True if fewer documents get a true best label than without what was learned: by shares of
  /// neighbors, in terms that weigh as without a tuning.
  /// @param untaught learns nothing
  bool is_worse_than(CrossFit& untaught) const;

  /// Fills in what a half of the voters tells of the others, when it alone votes and teaches:
  /// - TuneReport::gain. Errors fall as a power of the number of documents of a label that are
  ///   heard, and all will be heard for later ones. By what a half is worse tells the power.
  /// - TuneReport::siblings, if a half without siblings of the others is clearly worse than one
  ///   with some. What it is worse by is said, so it is rather too much.
  ///
  /// Where at most half of the voters are classified, there is no gain, and the siblings of those
  /// in enough_of(), which do not teach, are taken out of those that vote instead.
  /// @param taught_share of the documents of a label, what is learned from where one is classified
  void look_ahead(CrossFit& fit, const Combiner& combiner, double taught_share,
                  TuneReport& report) const;

  double alone() const;  ///< TuneReport::alone

 private:
  MeanOfDocuments lost(std::span<const Part> parts, CrossFit& fit, const Combiner& combiner) const;
  Part others_by(const DocumentSet& half) const;
  std::vector<Part> without_siblings() const;
  double gain_of_more(const Part& others, const MeanOfDocuments& of_half,
                      double taught_share) const;
  std::vector<double> documents_of_labels() const;

  const Mirror& mirror_;
  const std::size_t threads_;
  const DocumentSet& voters_;
  const Groups groups_;
  const Split& split_;
  std::unordered_map<Xapian::docid, std::uint8_t> is_right_;  // by leave-one-out
};

}  // namespace kindred
