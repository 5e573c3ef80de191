#include "index/word_cache.h"

#include <string_view>

namespace search_server {
namespace {

/// Words that are compared for one stem.
constexpr int kMostCompared = 400;
constexpr std::size_t kMostRemembered = 100'000;

std::string without_prefix(std::string_view term) {
  std::size_t prefix = 0;
  while (prefix < term.size() && term[prefix] >= 'A' && term[prefix] <= 'Z') ++prefix;
  if (prefix > 0 && prefix < term.size() && term[prefix] == ':') ++prefix;
  return std::string(prefix == term.size() ? term : term.substr(prefix));
}

/// The most frequent word that begins with `beginning` and has the stem; "" if there is none.
std::string most_frequent(const Xapian::Database& database, const std::string& beginning,
                          const std::string& stem, const Xapian::Stem& stemmer) {
  std::string best;
  Xapian::doccount most = 0;
  int left = kMostCompared;
  const auto end = database.allterms_end(beginning);
  for (auto term = database.allterms_begin(beginning); term != end && left > 0; ++term, --left) {
    const Xapian::doccount documents = term.get_termfreq();
    if (documents <= most || stemmer(*term) != stem) continue;
    best = *term;
    most = documents;
  }
  return best;
}

std::string find_word(const Xapian::Database& database, const std::string& stem,
                      const QueryAnalysis& analysis) {
  const Xapian::Stem stemmer = index_stemmer(database, analysis);
  // Stems that end otherwise than their words: "happi" of "happy".
  const std::size_t same = stem.size() > 3 && stem.ends_with('i') ? stem.size() - 1 : stem.size();
  std::string word = most_frequent(database, stem.substr(0, same), stem, stemmer);
  if (word.empty() && stem.size() > 3) {
    word = most_frequent(database, stem.substr(0, stem.size() - 1), stem, stemmer);
  }
  return word.empty() ? stem : word;
}

}  // namespace

std::string WordCache::word(const Xapian::Database& database, const std::string& term,
                            const QueryAnalysis& analysis) {
  const std::string stem = without_prefix(term);
  if (!term.starts_with('Z')) return stem;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = words_.find(stem); known != words_.end()) return known->second;
  }
  std::string word = find_word(database, stem, analysis);
  const std::lock_guard lock(mutex_);
  if (words_.size() >= kMostRemembered) words_.clear();
  words_.emplace(stem, word);
  return word;
}

}  // namespace search_server
