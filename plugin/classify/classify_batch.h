#pragma once

#include <xapian.h>
#include <span>
#include <string>
#include <vector>

#include "analyzer/term_bag.h"
#include "gpu/document_set.h"
#include "plugin/answers.h"
#include "plugin/classify/classifier.h"
#include "plugin/classify/texts_to_tag.h"
#include "plugin/documents/document_tags.h"
#include "plugin/requests.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// A document that is analyzed already, for instance to be indexed.
struct AnalyzedRecord {
  std::string id;    ///< the document with this id does not vote for itself; may be ""
  TermBag features;  ///< spelled as in the index, prefix included
  TagLimits limits;  ///< used instead of those that the document with this id has in the index
};

/// A document of the index, to be classified by what the mirror has of it.
struct MirroredDocument {
  Xapian::docid docid = 0;
  TagLimits limits;  ///< used instead of those that the document has in the index
};

/// Documents to be classified at once. For one thread.
class ClassifyBatch {
 public:
  /// Database and snapshot are borrowed. `means`: for the requests of classify().
  ClassifyBatch(MirroredDatabase& database, const Snapshot& snapshot, VoteMeans means);

  /// Adds documents to the batch. The first looks up the limits of the examples' documents; if an
  /// example is a record, that is the document with its id. Records are analyzed by all threads.
  /// The others bring their limits along.
  /// @throws Error as example_features() and MirroredDatabase::limits_of(); whatever `pulse`
  /// throws.
  void add(std::span<const Example> examples, const Pulse& pulse);
  void add(std::span<const AnalyzedRecord> records, const Pulse& pulse);
  void add(std::span<const MirroredDocument> documents, const Pulse& pulse);

  /// One answer for each document, in the order of adding. `voters`: as Classifier::classify().
  /// @throws Error as Classifier::classify().
  std::vector<Classification> classify(const ClassifyRequest& request,
                                       const DocumentSet* voters) const;

 private:
  void add(const Example& example, const TermBag& features);

  MirroredDatabase& database_;
  const ExampleContext context_;
  const VoteMeans means_;
  TextsToTag texts_;
};

}  // namespace kindred
