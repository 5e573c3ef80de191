#pragma once

#include <xapian.h>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/term_bag.h"
#include "gpu/queries.h"
#include "gpu/som/match.h"
#include "plugin/classify/unit_voters.h"
#include "plugin/documents/document_tags.h"
#include "plugin/related/few_labels.h"
#include "plugin/related/term_mirror.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/vocabulary/label_hierarchy.h"

namespace kindred {

/// What some votes need besides the snapshot; null for the others.
struct VoteMeans {
  std::shared_ptr<const UnitVoters> units;  ///< for VoteKind::kUnit
  std::shared_ptr<const FewLabels> few;     ///< for VoteKind::kFew, and a blend that uses it
  std::shared_ptr<const TermMirror> terms;  ///< for ClassifyRequest::suggest
  /// For a blend that knows what people do where broader labels are likely, too.
  std::shared_ptr<const LabelHierarchy> hierarchy;
};

/// The document that a query stands for.
struct QueriedDocument {
  Xapian::docid docid = kNoDocument;  ///< its own, which does not vote; kNoDocument: none
  /// What people have said about its tags. Tags that they forbid are withheld, and others take
  /// their places.
  TagLimits limits;
  /// For VoteKind::kUnit: where it lies on the map. kNoUnit: nowhere.
  std::uint32_t unit = SomMatch::kNoUnit;
};

/// Texts that are to be tagged, in every form that the vote needs.
class TextsToTag {
 public:
  /// Borrows both.
  TextsToTag(const Snapshot& snapshot, const VoteMeans& means)
      : snapshot_(snapshot), means_(means) {}

  /// Adds a text by its features (spelled as in the index, prefix included), or a document of the
  /// index.
  void add(const TermBag& features, Xapian::docid docid, TagLimits limits);
  void add(Xapian::docid docid, TagLimits limits);

  /// One for each text:
  const std::vector<QueriedDocument>& documents() const { return documents_; }
  /// Weighed as voting() of the snapshot weighs.
  const Queries& queries() const { return queries_; }
  /// The same for VoteMeans::few, as FewLabels::moved() takes them; empty without it.
  const Queries& for_few() const { return for_few_; }
  /// The same for VoteMeans::terms, weighed by weighting() of the snapshot.
  const Queries& for_terms() const { return for_terms_; }

 private:
  const Snapshot& snapshot_;
  const VoteMeans& means_;
  Queries queries_;
  Queries for_few_;
  Queries for_terms_;
  std::vector<QueriedDocument> documents_;
};

}  // namespace kindred
