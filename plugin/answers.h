#pragma once

#include <xapian.h>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/term_bag.h"
#include "plugin/questions.h"

// What an Engine answers to C++ hosts, where that is not the answer of a question (namespace api).

namespace kindred {

/// The related documents of one request.
struct RelatedResult : Origin {
  std::vector<api::RelatedDocument> results;  ///< rank_score descending, then docid ascending
};

/// The tags that an example deserves. Its id is filled where the example is given as a document or
/// a record. Voters are the nearest; in the vote "unit" the most similar ones.
struct Classification : Origin, api::Classified {
  std::vector<Tag> scores;  ///< all labels that got a vote, ordered as tags, without any limit
};

/// Called for each document that was classified, with its true labels in byte order, and with what
/// was predicted.
using OnClassified =
    std::function<void(const std::vector<std::string>& truth, const Classification& prediction)>;

/// A part of the documents that match a query.
struct MatchingDocuments : Origin {
  std::uint64_t found = 0;            ///< documents that match, including those left out
  std::vector<Xapian::docid> docids;  ///< ascending
  std::vector<StoredDocument> documents;
  std::vector<TermBag> features;  ///< terms as the index spells them, ascending
};

/// What an index has under a prefix of terms.
struct PrefixCount : api::PrefixTerms {
  std::uint64_t postings = 0;         ///< pairs of a term and a document
  std::uint64_t occurrences = 0;      ///< of its terms in the documents; 0 for purely boolean terms
  std::uint64_t words = 0;            ///< terms whose value is a word: letters and digits alone
  std::uint64_t common_terms = 0;     ///< terms that nine in ten documents have
  std::uint64_t common_postings = 0;  ///< those of these
};

/// Which settings would read an index, as far as its terms tell. What they do not tell is said in
/// sentences: "which terms are labels (labels.prefix): XA or XB".
using SettingsGuess = api::StatusAnswer::Guess;

/// The document that another one is most like.
using NearDuplicate = api::FoldedDocument;

}  // namespace kindred
