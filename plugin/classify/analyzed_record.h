#pragma once

#include <xapian.h>
#include <string>

#include "analyzer/term_bag.h"
#include "plugin/answers/tag_limits.h"

namespace kindred {

/// A document that was analyzed already, say to index it.
struct AnalyzedRecord {
  std::string id;    ///< the document of this id does not vote for itself; may be ""
  TermBag features;  ///< spelled as in the index, prefix included
  TagLimits limits;  ///< what the document of this id has by now is not looked up
};

/// A document of the index, to be classified by its row of the mirror.
struct MirroredDocument {
  Xapian::docid docid = 0;
  TagLimits limits;  ///< what the document has by now is not looked up
};

}  // namespace kindred
