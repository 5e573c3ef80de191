#include "plugin/store/stem_language.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/stem.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

constexpr std::size_t kLeastWords = 20;
constexpr std::size_t kMostWords = 400;
constexpr std::size_t kMostBeginnings = 2000;
constexpr std::size_t kTermsOfBeginning = 8;

bool is_first_byte(char c) { return (c & 0xC0) != 0x80; }

/// Long enough for stemmers to differ, and without digits and marks.
bool tells_stemmers_apart(const std::string& word) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c & 0x80) != 0; };
  return count_characters(word) >= 5 && std::all_of(word.begin(), word.end(), is_letter);
}

/// The first two characters.
std::string beginning_of(const std::string& word) {
  std::size_t end = 0;
  for (std::size_t characters = 0; end < word.size(); ++end)
    if (is_first_byte(word[end]) && ++characters > 2) break;
  return word.substr(0, end);
}

/// Words of the index: one of each two characters that words begin with.
std::vector<std::string> sample_words(const Xapian::Database& database) {
  std::vector<std::string> words;
  TermReader terms(database, "");
  terms.skip_to("a");
  for (std::size_t i = 0; i < kMostBeginnings && words.size() < kMostWords; ++i) {
    if (terms.at_end()) break;
    const std::string beginning = beginning_of(terms.term());
    for (std::size_t j = 0; j < kTermsOfBeginning && !terms.at_end(); ++j) {
      const std::string& word = terms.term();
      if (!word.starts_with(beginning)) break;
      if (tells_stemmers_apart(word)) {
        words.push_back(word);
        break;
      }
      terms.next();
    }
    if (!terms.at_end() && terms.term().starts_with(beginning)) terms.skip_to(beginning + '\xFF');
  }
  return words;
}

std::size_t explained(const Xapian::Database& database, const std::vector<std::string>& words,
                      const std::string& stemmer_name) {
  Stemmer stemmer(stemmer_name);
  return static_cast<std::size_t>(
      std::count_if(words.begin(), words.end(), [&](const std::string& word) {
        return database.term_exists(prefixed_term("Z", stemmer.stem(word)));
      }));
}

std::string language_of_stemmer(const std::string& name) {
  const std::string code = find_language(name).code;
  return find_language(code).stemmer == name ? code : name;
}

/// How many stop words of a language the index has as stems that differ from them, and how many as
/// they are written although their stems differ.
struct Evidence {
  std::size_t stems = 0, words = 0;
};

Evidence evidence_of(const Xapian::Database& database, const Language& language) {
  Stemmer stemmer(language.stemmer);
  Evidence evidence;
  if (!stemmer.active()) return evidence;
  const WordSet words = stop_words("builtin", language, Normalizer(language, false));
  for (const std::string& word : words) {
    const std::string stem = stemmer.stem(word);
    if (stem == word || words.contains(stem)) continue;
    if (database.term_exists(word)) {
      ++evidence.words;
    } else if (database.term_exists(stem)) {
      ++evidence.stems;
    }
  }
  return evidence;
}

bool are_stems(const std::vector<std::string>& terms, const std::string& stemmer_name) {
  Stemmer stemmer(stemmer_name);
  const auto stays = [&](const std::string& term) { return stemmer.stem(term) == term; };
  const auto count = std::count_if(terms.begin(), terms.end(), stays);
  return static_cast<std::size_t>(count) * 10 >= terms.size() * 9;
}

}  // namespace

std::string plain_stem_language(const Xapian::Database& database, const std::string& only) {
  constexpr std::size_t kLeastStems = 5;
  if (!TermReader(database, "Z").at_end()) return "";
  const std::vector<std::string> terms = sample_words(database);
  if (terms.size() < kLeastWords) return "";
  std::string best;
  std::size_t most = kLeastStems - 1;
  for (const BuiltinStopWords& list : builtin_stop_words()) {
    const Language language = find_language(list.language);
    if (!only.empty() && language.code != find_language(only).code) continue;
    const Evidence found = evidence_of(database, language);
    if (found.stems <= most || found.words * 9 > found.stems || !are_stems(terms, language.stemmer))
      continue;
    most = found.stems;
    best = language.code;
  }
  return best;
}

bool has_ngrams(const Xapian::Database& database) {
  constexpr std::size_t kMostTerms = 200;
  TermReader terms(database, "");
  terms.skip_to("\u3041");  // the first of hiragana, which ideographs and Hangul follow
  bool pairs = false;
  for (std::size_t i = 0; i < kMostTerms && !terms.at_end(); ++i, terms.next()) {
    const std::string& term = terms.term();
    if (term >= "\uE000") break;
    const std::size_t characters = count_characters(term);
    if (characters > 2) return false;
    pairs = pairs || (characters == 2 && database.term_exists(term.substr(0, 3)));
  }
  return pairs;
}

std::string stem_language(const Xapian::Database& database, const std::string& usual) {
  if (TermReader(database, "Z").at_end()) return "";
  const std::vector<std::string> words = sample_words(database);
  if (words.size() < kLeastWords) return "";
  std::string best = usual;
  std::size_t most = explained(database, words, find_language(usual).stemmer);
  if (most == words.size()) return best;
  for (const std::string& name : stemmer_names()) {
    if (!is_language(name)) continue;
    const std::size_t found = explained(database, words, name);
    if (found <= most) continue;
    most = found;
    best = language_of_stemmer(name);
  }
  return most * 10 >= words.size() * 9 ? best : "";
}

}  // namespace kindred
