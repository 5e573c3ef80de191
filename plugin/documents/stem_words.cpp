#include "plugin/documents/stem_words.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/text/language.h"
#include "config/shown.h"
#include "plugin/store/readers.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// By language: documents may name the one that is the default.
using LeasedAnalyzers = std::map<std::string, AnalyzerPool::Lease>;

/// The word of a stem; the stem itself if there is none.
std::string word_of_stem(const Xapian::Database& database, const std::string& stem,
                         const LeasedAnalyzers& analyzers) {
  constexpr int kMost = 400;  // words that are looked at

  // Stems may end otherwise than their words: "happi" of "happy".
  const std::size_t cut = stem.size() > 3 && stem.ends_with('i') ? 1 : 0;

  // Of the words that begin like the stem, the one of most documents. A short stem has many of
  // them, so only the first are looked at.
  std::string best = stem;
  Xapian::doccount most = 0;
  TermReader words(database, stem.substr(0, stem.size() - cut));
  const auto is_of_stem = [&](const auto& each) {
    return each.second->term_of(words.term()) == stem;
  };

  for (int left = kMost; left > 0 && !words.at_end(); words.next(), --left) {
    if (words.termfreq() <= most || std::ranges::none_of(analyzers, is_of_stem)) continue;
    best = words.term();
    most = words.termfreq();
  }
  return best;
}

/// A term without its prefix, and with word_of(stem) for each stem in it: a pair of stems has two.
template <typename WordOf>
std::string put_together(const std::string& term, const std::vector<std::string>& prefixes,
                         WordOf&& word_of) {
  std::string value = term;
  for (const std::string& prefix : prefixes)
    if (const auto found = value_under(prefix, term)) value = *found;
  const bool is_stem = term[0] == 'Z' && value != term;

  std::string word;
  std::size_t begin = 0;
  while (begin < value.size()) {
    const std::size_t end = std::min(value.find(' ', begin), value.size());
    const std::string part = value.substr(begin, end - begin);
    append_item(word, is_stem ? word_of(part) : part, " ");
    begin = end + 1;
  }
  return word;
}

}  // namespace

WordsByStem words_by_stem(const TermBag& words, Analyzer& analyzer) {
  WordsByStem best;
  std::map<std::string, std::uint32_t> counts;  // of the words in it
  for (const TermCount& word : words) {
    const std::string stem = analyzer.term_of(word.term);
    if (stem.empty() || counts[stem] >= word.count) continue;
    counts[stem] = word.count;
    best[stem] = word.term;
  }
  return best;
}

DocumentWords document_words(const Xapian::Database& database, Xapian::docid docid) {
  DocumentWords found;
  try {
    const Xapian::Document document = database.get_document(docid);
    const auto end = document.termlist_end();
    for (auto term = document.termlist_begin(); term != end; ++term) {
      const std::string name = *term;
      if (const auto language = value_under("L", name)) found.language = *language;
      if (!is_capital(name[0])) found.words.push_back({name, term.get_wdf()});
    }
  } catch (const Xapian::DocNotFoundError&) {
    return {};
  } catch (const Xapian::FeatureUnavailableError&) {  // a database without term lists
    return {};
  }
  return found;
}

std::string written_term(const std::string& term, const std::vector<std::string>& prefixes,
                         const WordsByStem& words) {
  bool is_complete = true;
  const auto word_of = [&](const std::string& stem) -> std::string {
    const auto found = words.find(stem);
    if (found != words.end()) return found->second;
    is_complete = false;
    return "";
  };

  const std::string word = put_together(term, prefixes, word_of);
  return is_complete ? word : "";
}

std::vector<std::string> languages_of(const Xapian::Database& database) {
  std::vector<std::string> languages;
  // Where they are under XLANG, there are labels under L.
  for (const char* prefix : {"L", "XLANG"}) {
    for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
      const auto language = value_under(prefix, terms.term());
      if (language && is_language(std::string(*language))) languages.emplace_back(*language);
    }
  }
  return languages;
}

std::vector<std::string> words_of_terms(const Xapian::Database& database,
                                        const std::vector<std::string>& terms,
                                        const std::vector<std::string>& prefixes,
                                        AnalyzerPool& analyzers, StemWords& known,
                                        const Pulse& pulse) {
  // A stem may be of any language of the index, so the analyzers of all of them are asked.
  std::vector<std::string> languages = languages_of(database);
  languages.emplace_back();  // the default
  LeasedAnalyzers leased;
  for (const std::string& language : languages) {
    AnalyzerPool::Lease lease = analyzers.lease(language);
    leased.try_emplace(lease->language(), std::move(lease));
  }

  // Finding the word of a stem reads the index, so what was found once is kept.
  const auto readable = [&](const std::string& stem) {
    return known.get(stem, [&] {
      return word_of_stem(database, stem, leased);
    });
  };

  std::vector<std::string> words;
  for (const std::string& term : terms) {
    pulse();
    words.push_back(put_together(term, prefixes, readable));
  }
  return words;
}

}  // namespace kindred
