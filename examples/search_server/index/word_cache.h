#pragma once

#include <xapian.h>

#include <mutex>
#include <string>
#include <unordered_map>

#include "index/query_analysis.h"

namespace search_server {

/// Finds the word of the index that people would write for a stem: the most frequent one that has
/// it. Remembers what it found. Any thread may use it.
class WordCache {
 public:
  /// `term`: as the index spells it, with its prefix. Without a word, it is the term without its
  /// prefix. @throws Xapian::Error; as the analysis.
  std::string word(const Xapian::Database& database, const std::string& term,
                   const QueryAnalysis& analysis);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::string> words_;
};

}  // namespace search_server
