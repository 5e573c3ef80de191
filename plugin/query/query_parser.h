#pragma once

#include <xapian.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "config/pulse.h"
#include "config/settings.h"

namespace kindred {

class Analyzer;

/// Words of a query, with those that its wildcards stand for. A word counts once, whatever its
/// forms and the prefixes under which it is looked up. Values of fields do not count: they may list
/// ids.
inline constexpr std::size_t kMaxQueryTerms = 256;
inline constexpr std::size_t kMaxPhraseWords = 64;  ///< also of NEAR and ADJ

/// How a query is read that people type into a search box, rather than a filter.
struct QueryStyle {
  bool partial = false;  ///< the last word may be the beginning of one
  /// Wildcards and such a beginning stand for so many of their terms, the most frequent ones, and
  /// for fewer where a query has many of them. 0: for all of their terms.
  Xapian::termcount most_frequent = 0;
  /// Whose terms wildcards stand for; borrowed. Null: the query has wildcards of Xapian, each for
  /// an equal share of kMaxQueryTerms. If most_frequent is 0, Xapian refuses those that stand for
  /// more (Xapian::WildcardError).
  const Xapian::Database* vocabulary = nullptr;
  /// Called while the vocabulary is read. The query then holds sources that call it, and cannot be
  /// serialised: see with_pulse() (plugin/query/pulse_source.h).
  Pulse pulse = {};
};

/// A word that a query wants, and the terms under which the index may have it.
struct QueryWord {
  std::string word;
  std::vector<std::string> terms;
  std::size_t at = 0;    ///< first byte of the part of the query that has it: words without spaces
  std::size_t size = 0;  ///< or a phrase; bytes of that part
};

struct ParsedQuery {
  Xapian::Query query;
  std::vector<QueryWord> words;
};

/// Makes a query of a query string, whose words become terms by the analysis of the index. This is
/// the one place that does so, for filters and for searches of hosts.
///
/// The syntax is Xapian::QueryParser's: AND, OR, XOR, NOT, +, -, NEAR, ADJ, brackets, phrases,
/// wildcards, and the fields of filter_fields(). This differs from Xapian's parser:
///
/// - The operator between words is AND, and operators are written in capitals.
/// - Nothing is guessed. Where a quote, a bracket, an operator or a field is not right, the query
/// is
///   refused with the byte where that is.
/// - A word is cut and stemmed as texts of the index are. It matches its feature, and itself as it
///   is written, so a document of another language is found by its words, too. What is written
///   without spaces and is several words to the analysis is a phrase.
/// - Stop words are left out beside other words, but for those with a + before them.
/// - A query of nothing but what is not wanted matches all other documents, and "*" all.
/// - Quotes may be those of other languages. Labels and languages may be spelled in any way.
/// - There are no ranges ("1..5") and no synonyms ("~word").
///
/// `prefixes`: those of the features of the index (Mirror::prefixes). `analyzer`: of the language
/// of the query.
/// @throws Error kInvalidArgument as read_lexemes() (plugin/query/query_lexemes.h), for an
/// operator that lacks what it is to join, for more words than the limits above, and if there is no
/// word or field; Xapian::Error of the vocabulary; whatever the pulse throws.
KINDRED_API ParsedQuery parse_query(std::string_view text, const std::vector<std::string>& prefixes,
                                    const Settings& settings, Analyzer& analyzer,
                                    const QueryStyle& style = {});

}  // namespace kindred
