#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>

#include "config/pulse.h"
#include "plugin/progress.h"
#include "plugin/questions.h"

// What C++ hosts ask an Engine: the requests of the questions, with callbacks. A pulse is that of
// whoever asks, in the calling thread.

namespace kindred {

/// Which documents are like these? Its queries are written as filters, and the best by BM25 of the
/// documents that match are examples. `fold` connects results by pairs (single linkage). `each` is
/// not looked at: see Engine::related_each().
struct RelatedRequest : api::RelatedRequest {
  Pulse pulse = {};
};

/// Which tags do examples deserve? They are handed to Engine::classify() beside it, so its own are
/// not looked at. Members that are not set come from the tuning of the index, if it has one, else
/// from the settings. A vote other than the tuned one uses only the term weights of the tuning. A
/// min_confidence given here holds for all labels.
struct ClassifyRequest : api::ClassifyRequest {
  bool scores = false;   ///< fill Classification::scores
  bool suggest = false;  ///< also terms of the vocabulary that no document has (Tag::suggested)
  Pulse pulse = {};
};

/// How the documents of an index classify each other.
struct CrossValidation {
  /// 0: each document is classified by all others (leave-one-out). 2 or more: the documents are
  /// divided into this many parts, whose sizes differ by at most one, and each document is
  /// classified by the other parts. If there are fewer documents than parts, the empty parts are
  /// left out.
  std::int64_t folds = 0;
  std::uint64_t seed = 0;  ///< of the division: the same seed gives the same parts on any machine
};

/// Which documents match a query, as a list.
struct MatchingRequest {
  std::string query;       ///< a Xapian query, written as a filter; "" = all
  bool documents = false;  ///< fill MatchingDocuments::documents
  bool features = false;   ///< fill MatchingDocuments::features
  /// Fill also their topics and, where Kindred must not write (index.read_only), the predicted tags
  /// of those without labels.
  bool predictions = false;
  Xapian::docid after = 0;            ///< only greater docids
  std::int64_t offset = 0;            ///< leave out this many of the first
  std::optional<std::int64_t> limit;  ///< at most this many documents; not set: all
  Pulse pulse = {};
};

/// Which documents would a label suit?
struct CandidatesRequest : api::CandidatesRequest {
  DocumentProgress on_progress = {};  ///< of the documents that are classified
  Pulse pulse = {};
};

/// Which documents lack a label, or seem to have a wrong one?
struct SuspectsRequest : api::SuspectsRequest {
  SuspectsProgress on_progress = {};
  Pulse pulse = {};
};

/// Which documents are nearly the same?
struct DuplicatesRequest : api::DuplicatesRequest {
  /// Of the documents that are compared. Those with the same features are compared once, and so
  /// count once.
  DocumentProgress on_progress = {};
  Pulse pulse = {};
};

}  // namespace kindred
