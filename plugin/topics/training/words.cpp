#include "plugin/topics/training/words.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "plugin/documents/languages.h"
#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {
namespace {

/// "" for the default, and every language that documents name.
std::vector<std::string> analyzed_languages(const Xapian::Database& database) {
  std::vector<std::string> languages = {""};
  for (LanguageCount& count : languages_of(database))
    languages.push_back(std::move(count.language));
  return languages;
}

std::string value_of(std::string_view term, const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes) {
    if (const auto value = value_under(prefix, term)) return std::string(*value);
  }
  return std::string(term);
}

/// How people write a part of a pair, which may be a stop word.
std::string word_of_part(const std::string& part, const StringTable& terms,
                         const std::vector<std::string>& words) {
  const auto column = terms.find(prefixed_term("Z", part));
  return column && !words[*column].empty() ? words[*column] : part;
}

}  // namespace

std::vector<std::string> words_of_terms(const Xapian::Database& database, const StringTable& terms,
                                        const std::vector<std::string>& prefixes,
                                        AnalyzerPool& analyzers) {
  std::vector<std::string> words(terms.size());
  std::vector<Xapian::doccount> most(terms.size());
  const bool stems = std::any_of(prefixes.begin(), prefixes.end(),
                                 [](const std::string& prefix) { return prefix[0] == 'Z'; });
  for (const std::string& language :
       stems ? analyzed_languages(database) : std::vector<std::string>{}) {
    const auto analyzer = analyzers.lease(language);
    for (TermReader all(database, ""); !all.at_end();) {
      const std::string word = all.term();
      if (word[0] >= 'A' && word[0] <= 'Z') {
        all.skip_to("[");  // past all prefixes: '[' follows 'Z'
        continue;
      }
      const Xapian::doccount df = all.termfreq();
      all.next();
      const auto column = terms.find(prefixed_term("Z", analyzer->term_of(word)));
      if (!column || df <= most[*column]) continue;
      most[*column] = df;
      words[*column] = word;
    }
  }
  for (std::uint32_t column = 0; column < words.size(); ++column) {
    if (!words[column].empty()) continue;
    words[column] = value_of(terms[column], prefixes);
    if (const auto space = words[column].find(' '); space != std::string::npos)
      words[column] = word_of_part(words[column].substr(0, space), terms, words) + ' ' +
                      word_of_part(words[column].substr(space + 1), terms, words);
  }
  return words;
}

}  // namespace kindred
