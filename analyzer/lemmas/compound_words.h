#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "analyzer/languages/language.h"
#include "analyzer/languages/variants.h"
#include "analyzer/words/normalize.h"
#include "analyzer/words/word_list.h"
#include "config/settings.h"

namespace kindred {

/// The words of one language of which its compounds may consist. Immutable; any number of threads
/// may use it.
class CompoundWords {
 public:
  /// `word` is folded, and in the spelling that terms have.
  bool has(std::string_view word) const { return words_.contains(word); }

  /// True if `stem` is the stem of a word: of the language's stemmer.
  bool has_stem(std::string_view stem) const { return stems_.contains(stem); }

 private:
  friend class CompoundWordsReader;
  WordSet words_, stems_;
};

/// The words that analyzer.compounds names for a language; null if there are none. Abbreviations
/// (two capitals), words with other characters than letters, and those that are too short or never
/// parts by the rules of the language are left out. Dictionaries and lists that are in use in this
/// process already are not loaded again. `variants`: of the filter `normalize`; null without it.
/// @throws Error kNotFound (a dictionary, naming its package, or a list that is not there),
/// kInvalidArgument (a list, by file and line; a language), kUnsupported (an unknown encoding).
std::shared_ptr<const CompoundWords> open_compound_words(const AnalyzerSettings& settings,
                                                         const Language& language,
                                                         const Normalizer& normalizer,
                                                         const Variants* variants);

}  // namespace kindred
