#pragma once

#include <xapian.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

class Analyzer;

inline constexpr std::size_t kMaxFilterTerms = 10'000;  ///< that all its wildcards stand for

/// How a query is read that people type into a search box, rather than a filter.
struct QueryStyle {
  bool partial = false;  ///< the last word may be the beginning of one
  /// Wildcards and such a beginning stand for so many of their terms, the most frequent ones. 0: a
  /// wildcard stands for all of its terms, and Xapian refuses the query (Xapian::WildcardError) if
  /// they are more than an equal share of 10,000.
  Xapian::termcount most_frequent = 0;
};

/// A word that a query wants, and the terms under which the index may have it.
struct QueryWord {
  std::string word;
  std::vector<std::string> terms;
};

struct ParsedQuery {
  Xapian::Query query;
  std::vector<QueryWord> words;
};

/// Makes a query of a query string, whose words become terms by the analysis of the index. This is
/// the one place that does so, for filters and for searches of hosts.
///
/// The syntax is Xapian::QueryParser's, with AND as the default operator: AND, OR, XOR, NOT, +, -,
/// NEAR, ADJ, brackets, phrases, wildcards, and the fields of filter_fields(). A query of nothing
/// but what is not wanted matches all other documents. A word matches its feature, and itself as it
/// is written, so a document of another language is found by its words, too. What is written
/// without spaces and is several words to the analysis is a phrase. Stop words are left out beside
/// other words.
///
/// `prefixes`: those of the features of the index (Mirror::prefixes). `analyzer`: of the language
/// of the query.
/// @throws Error kInvalidArgument as read_lexemes() (plugin/mirror/query_lexemes.h), for an
/// operator that lacks what it is to join, and if there is no word or field.
KINDRED_API ParsedQuery parse_query(std::string_view text, const std::vector<std::string>& prefixes,
                                    const Settings& settings, Analyzer& analyzer,
                                    const QueryStyle& style = {});

}  // namespace kindred
