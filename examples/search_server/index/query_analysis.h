#pragma once

#include <xapian.h>

#include <functional>
#include <string>
#include <vector>

namespace search_server {

/// How the words of one query become terms of the index. For one thread.
struct QueryAnalysis {
  /// The stem under which the index has a word, without a prefix.
  std::function<std::string(const std::string& word)> stem;
  std::function<bool(const std::string& word)> is_stop_word;
  /// The words of a text in a script without spaces, as the index has them.
  std::function<std::vector<std::string>(const std::string& text)> words;
};

/// By a stemmer of Xapian's alone.
QueryAnalysis analysis_by(const Xapian::Stem& stemmer);

/// A stemmer for Xapian's query parser and snippets that stems as the index does. It stems nothing
/// if the database has no stems. The analysis must outlive it.
Xapian::Stem index_stemmer(const Xapian::Database& database, const QueryAnalysis& analysis);

/// Drops the words that the index drops.
class IndexStopper : public Xapian::Stopper {
 public:
  /// The analysis must outlive this.
  explicit IndexStopper(const QueryAnalysis& analysis) : analysis_(analysis) {}
  bool operator()(const std::string& word) const override { return analysis_.is_stop_word(word); }
  std::string get_description() const override { return "stop words of the index"; }

 private:
  const QueryAnalysis& analysis_;
};

/// A query with spaces between the words of scripts that have none: Chinese, Japanese, Thai and the
/// like, which Xapian's parser would take for one word. Values of fields stay as they are.
std::string with_spaces(const std::string& query, const QueryAnalysis& analysis);

}  // namespace search_server
