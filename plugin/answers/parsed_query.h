#pragma once

#include <xapian.h>
#include <string>
#include <vector>

namespace kindred {

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
