#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "config/settings.h"
#include "plugin/query/parsed_query.h"

namespace kindred {

class Analyzer;

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
/// - In an index without positions of words, a phrase matches documents with all of its words.
/// - There are no ranges ("1..5") and no synonyms ("~word").
///
/// `prefixes`: those of the features of the index (Mirror::prefixes). `analyzer`: of the language
/// of the query.
/// @throws Error kInvalidArgument as read_lexemes() (plugin/query/query_lexemes.h), for an
/// operator that lacks what it is to join, for more words than the limits above, and if there is no
/// word or field; Xapian::Error of the dictionary; whatever the pulse throws.
KINDRED_API ParsedQuery parse_query(std::string_view text, const std::vector<std::string>& prefixes,
                                    const Settings& settings, Analyzer& analyzer,
                                    const QueryStyle& style = {});

}  // namespace kindred
