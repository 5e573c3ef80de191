#pragma once

#include <xapian.h>

#include <functional>
#include <string>
#include <vector>

namespace search_server {

/// A query, and the words that it wants with the terms under which the index may have them.
struct AnalyzedQuery {
  struct Word {
    std::string word;
    std::vector<std::string> terms;
  };
  Xapian::Query query;
  std::vector<Word> words;
};

/// How the words of one query become terms of the index. For one thread.
struct QueryAnalysis {
  /// The stem under which the index has a word, without a prefix.
  std::function<std::string(const std::string& word)> stem;
  /// A query that has a word or a field. `partial`: its last word may be the beginning of one.
  /// @throws QueryMistake.
  std::function<AnalyzedQuery(const std::string& query, bool partial)> parse;
};

/// A stemmer for snippets that stems as the index does. It stems nothing if the database has no
/// stems. The analysis must outlive it.
Xapian::Stem index_stemmer(const Xapian::Database& database, const QueryAnalysis& analysis);

/// A query or a filter with a mistake; what() is a sentence for people.
class QueryMistake {
 public:
  explicit QueryMistake(std::string text) : text_(std::move(text)) {}
  const std::string& what() const { return text_; }

 private:
  std::string text_;
};

}  // namespace search_server
