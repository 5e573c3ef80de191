#pragma once

#include <xapian.h>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/pulse.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/query/parsed_query.h"

namespace kindred {

/// The query with its unknown words replaced by near words of the index, and if `found`, the number
/// of its documents, is next to nothing, very rare words as well. "" if nothing is near. Looks at
/// the words that begin with the same letter, or the index's spelling data. `partial`: the last
/// word may be the beginning of one, and is replaced by one, or by a whole word where none is near.
/// @throws Xapian::Error.
std::string corrected(const Xapian::Database& database, const std::string& typed,
                      const std::vector<QueryWord>& words, std::size_t found, bool partial,
                      const Pulse& pulse = {});

/// The words of what was typed, as the index has those of titles.
std::vector<std::string> typed_words(AnalyzerPool& analyzers, const std::string& typed);

/// Stems as the index does for such a text; nothing if the database has no stems. The pool must
/// outlive it.
Xapian::Stem stemmer(AnalyzerPool& analyzers, const Xapian::Database& database,
                     const std::string& text);

using TermSet = std::set<std::string>;

/// Part of a text; true: it matches.
using SnippetPart = std::pair<std::string, bool>;

/// The part of a text that says most about why it matches, some 240 bytes; its beginning if no word
/// of the query is in it. Control characters become spaces. `asked`: the terms of the query.
std::vector<SnippetPart> make_snippet(const Xapian::MSet& matches, std::string_view text,
                                      const Xapian::Stem& stemmer, const TermSet& asked);

}  // namespace kindred
