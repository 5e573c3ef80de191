#pragma once

#include <xapian.h>

#include <string>
#include <vector>

#include "plugin/handle.h"
#include "plugin/input/analyzer_pool.h"

namespace search_server {

/// A query as people write it, as the index has it.
struct AnalyzedQuery {
  struct Word {
    std::string word;
    std::vector<std::string> terms;  ///< under which the index may have it
  };
  Xapian::Query query;
  std::vector<Word> words;
};

/// `partial`: the last word may be the beginning of one, and a quote or a bracket may not be closed
/// yet: then only the words count. @throws PluginError for a mistake; as the plugin.
AnalyzedQuery analyzed_query(const Handle& plugin, const std::string& typed, bool partial);

/// The query with its unknown words replaced by near words of the index, and if `found`, the number
/// of its documents, is next to nothing, very rare words as well. "" if nothing is near. Looks at
/// the words that begin with the same letter, or the index's spelling data.
std::string corrected(const Xapian::Database& database, const std::string& typed,
                      const std::vector<AnalyzedQuery::Word>& words, std::size_t found);

/// The words of what was typed, as the index has those of titles.
std::vector<std::string> typed_words(kindred::AnalyzerPool& analyzers, const std::string& typed);

/// Stems as the index does for such a text; nothing if the database has no stems. The pool must
/// outlive it.
Xapian::Stem stemmer(kindred::AnalyzerPool& analyzers, const Xapian::Database& database,
                     const std::string& text);

}  // namespace search_server
