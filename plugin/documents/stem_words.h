#pragma once

#include <xapian.h>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/pulse.h"
#include "plugin/input/analyzer_pool.h"

namespace kindred {

/// The languages that documents of an index name (term L and its code), in byte order.
/// @throws Xapian::Error.
std::vector<std::string> languages_of(const Xapian::Database& database);

/// The words that were found for the stems of an index, of which each is looked up once. Any number
/// of threads may share it.
class StemWords {
 public:
  /// The word of a stem: the one that is kept, else find(), which is kept unless kMost are.
  template <typename Find>
  std::string get(const std::string& stem, Find&& find) {
    {
      const std::lock_guard lock(mutex_);
      const auto known = words_.find(stem);
      if (known != words_.end()) return known->second;
    }
    std::string word = find();
    const std::lock_guard lock(mutex_);
    if (words_.size() < kMost && words_.emplace(stem, word).second)
      bytes_ += stem.size() + word.size() + 2 * sizeof(std::string);
    return word;
  }
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  static constexpr std::size_t kMost = 100'000;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> words_;
  std::size_t bytes_ = 0;
};

/// Stems, and how one text writes each.
using WordsByStem = std::map<std::string, std::string>;

/// Of each stem the word that a text has most often, of equally frequent ones the first in byte
/// order. `words`: those of the text, counted, in byte order.
WordsByStem words_by_stem(const TermBag& words, Analyzer& analyzer);

/// The words of a document of the index, counted, in byte order, and the language that it names or
/// "". Both are empty if it is not there any more, or the index does not keep its terms.
struct DocumentWords {
  TermBag words;
  std::string language;
};

/// @throws Xapian::Error.
DocumentWords document_words(const Xapian::Database& database, Xapian::docid docid);

/// How a text writes a feature term; "" if it has no word of its stem, or of one of its stems.
std::string written_term(const std::string& term, const std::vector<std::string>& prefixes,
                         const WordsByStem& words);

/// How people write each of these feature terms. For a stem, it is the word that stems to it,
/// begins like it and is in most documents (ties go to the first in byte order), among the
/// unprefixed terms of the index, in the default language or one that documents name; for a pair of
/// stems, it is that of each. If there is no such word, or if the term is not a stem, it is the
/// value of the term. `known`: the words that were found before.
/// @throws Xapian::Error.
std::vector<std::string> words_of_terms(const Xapian::Database& database,
                                        const std::vector<std::string>& terms,
                                        const std::vector<std::string>& prefixes,
                                        AnalyzerPool& analyzers, StemWords& known,
                                        const Pulse& pulse = {});

}  // namespace kindred
