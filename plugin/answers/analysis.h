#pragma once

#include <xapian.h>
#include <cstdint>
#include <string>
#include <vector>

namespace kindred {

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

}  // namespace kindred
