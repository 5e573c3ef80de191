#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plugin/answers/classification.h"
#include "plugin/answers/shard_revisions.h"

namespace kindred {

/// Which documents match a query, as a list.
struct MatchingRequest {
  std::string query;                  ///< a Xapian query, written as a filter; "" = all
  bool ids = false;                   ///< fill MatchingDocuments::ids
  bool titles = false;                ///< fill MatchingDocuments::titles as Engine::titles() does
  std::int64_t offset = 0;            ///< leave out this many of the first
  std::optional<std::int64_t> limit;  ///< at most this many documents; not set: all
  bool ranked = false;                ///< the best match first, as Xapian ranks them
};

struct MatchingDocuments {
  std::uint64_t revision = 0;         ///< of the index that was asked
  ShardRevisions shards = nullptr;    ///< of its shards, if there are several
  std::uint64_t found = 0;            ///< documents that match, including those left out
  std::vector<Xapian::docid> docids;  ///< ascending, unless ranked
  std::vector<std::string> ids;       ///< of the documents, in their order
  std::vector<std::string> titles;    ///< likewise
};

/// A document of the index and what it holds about its tags.
struct StoredDocument {
  std::string id;
  Xapian::docid docid = 0;
  std::string title;
  std::vector<std::string> labels;    ///< that people gave, in byte order
  std::vector<Tag> predicted;         ///< confidence descending, then label ascending; the
                                      ///< confidence is 0 if the index does not tell it
  std::vector<std::string> rejected;  ///< tags that it must not get, in byte order
  bool auto_tag = true;               ///< false: it must not get predicted tags
  bool pending = false;               ///< it is marked to be tagged later
  std::string data;                   ///< as the index keeps it
};

struct StoredDocuments {
  std::uint64_t revision = 0;  ///< of the index that was read
  std::vector<StoredDocument> documents;
};

/// A word of a text, as an index with its settings has it.
struct AnalyzedWord {
  std::string word;                 ///< folded, a term without a prefix; "" if it is not indexed
  std::string term;                 ///< the feature, prefix included; "" if it is none
  std::uint32_t position = 0;       ///< 1-based place among the words of the text, gaps kept
  bool stop_word = false;           ///< it is no feature for that reason
  std::vector<std::string> joined;  ///< features of several words that end with this one
};

struct AnalyzedText {
  std::string language;  ///< by which it was analyzed: a code without region
  std::string prefix;    ///< of features: "Z" where the index has stems, else ""
  std::vector<AnalyzedWord> words;
};

}  // namespace kindred
