#pragma once

#include <xapian.h>
#include <span>
#include <unordered_map>
#include <vector>

#include "plugin/tune/cross_fit.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/thresholds.h"

// What leave-one-out does not tell of documents that come later, measured on 400 documents or a few
// more, each compared with itself.

namespace kindred {

using Groups = std::span<const std::vector<Xapian::docid>>;

/// The labels of the parts' documents, one part after the other; a part is a fold.
TrueLabels true_labels(const Mirror& mirror, std::span<const Part> parts);

/// Splits documents of a snapshot into parts that classify each other.
class PartsOf {
 public:
  PartsOf(const Snapshot& snapshot, const DocumentSet& voters, Groups groups, std::uint64_t seed);

  struct Split {
    std::vector<Part> parts;
    Siblings siblings;
  };
  Split operator()(const DocumentSet& voters, std::size_t sample, DriftMeasure& drift) const;
  /// The documents of a split as they are where none has siblings.
  std::vector<Part> without_siblings(const DocumentSet& voters, const Split& split) const;

  const Snapshot& snapshot() const { return snapshot_; }

 private:
  const Snapshot& snapshot_;
  const Groups groups_;
  const std::uint64_t seed_;
  const double alike_;
};

/// Compares how documents are tagged with how they are tagged in other ways.
class Promise {
 public:
  /// Everything is borrowed.
  /// @param split of `voters`
  /// @param scores by leave-one-out, of the documents of the split
  Promise(const PartsOf& parts_of, const DocumentSet& voters, const PartsOf::Split& split,
          std::span<const float> scores);

  /// True if fewer documents get a true best label than without what was learned: by shares of
  /// neighbors, in terms that weigh as without a tuning.
  /// @param untaught learns nothing
  bool is_worse_than(const CrossFit& untaught) const;

  /// By how much the accuracy of later documents will be higher than what was measured, since all
  /// documents of a label speak for it then. Errors fall as a power of the number of documents that
  /// speak. The power is found by measuring with every second document, too.
  /// @param taught_share of the documents of a label, what is learned from where one is classified
  double gain_of_more(const CrossFit& fit, const Combiner& combiner, double taught_share) const;

  /// By how much it will be lower if later documents have no siblings (TuneReport::siblings).
  double loss_without_siblings(const CrossFit& fit, const Combiner& combiner) const;

  double alone() const;  ///< TuneReport::alone

 private:
  MeanOfDocuments lost(std::span<const Part> parts, const CrossFit& fit,
                       const Combiner& combiner) const;
  std::vector<double> documents_of_labels() const;

  const PartsOf& parts_of_;
  const Mirror& mirror_;
  const DocumentSet& voters_;
  const PartsOf::Split& split_;
  std::unordered_map<Xapian::docid, std::uint8_t> is_right_;  // by leave-one-out
};

}  // namespace kindred
