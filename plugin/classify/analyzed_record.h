#pragma once

#include <xapian.h>
#include <string>

#include "analyzer/term_bag.h"
#include "plugin/answers.h"

namespace kindred {

/// A document that is analyzed already, for instance to be indexed.
struct AnalyzedRecord {
  std::string id;    ///< the document with this id does not vote for itself; may be ""
  TermBag features;  ///< spelled as in the index, prefix included
  TagLimits limits;  ///< used instead of those that the document with this id has in the index
};

/// A document of the index, to be classified by its row of the mirror.
struct MirroredDocument {
  Xapian::docid docid = 0;
  TagLimits limits;  ///< used instead of those that the document has in the index
};

}  // namespace kindred
