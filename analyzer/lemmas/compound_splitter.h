#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/stemmer.h"
#include "analyzer/text/variants.h"
#include "analyzer/text/word_list.h"
#include "config/settings.h"

namespace kindred {

/// The words of one language of which its compounds may consist. Any number of threads may use it.
struct CompoundWords {
  WordSet words;  ///< folded, and in the spelling that terms have
  WordSet stems;  ///< of these, by the language's stemmer
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

/// Splits compounds: German "arbeitsvertrag" into "arbeit" and "vertrag".
///
/// A compound is two or more parts one behind the other, with a linking element of the language
/// (LanguageRules::links) or nothing between two of them. Each part has at least
/// LanguageRules::least_part characters, and
///
/// - is a word of the dictionary, or
/// - is the first or the last, has the stem of one, and at least two characters more than the
///   least: a word that has lost its ending, as German "schul" in "schulhaus", or an inflected
///   form.
///
/// Of several ways the one with the fewest parts is taken; of those the one with the longest last
/// part, which is the head; then, from the end on, that with the shorter link, and with the longer
/// part before it. Words of more than 64 characters stay whole. The time for a word is bounded by
/// the square of its length.
///
/// Use one per thread.
class CompoundSplitter {
 public:
  CompoundSplitter(std::shared_ptr<const CompoundWords> words, const Language& language);

  /// The parts of a folded word, without links, in order; none if it is not a compound.
  std::vector<std::string> split(std::string_view word);

 private:
  /// The best way to write the first characters of a word.
  struct Way {
    std::uint32_t parts = 0;  ///< 0: there is none
    std::uint32_t begin = 0;  ///< of the last part, in bytes
    std::uint32_t end = 0;    ///< of the part before it
  };

  /// The best way to write what precedes a part: its number of parts, and where the last of them
  /// ends, before a link.
  struct Head {
    std::uint32_t parts = 0;
    std::uint32_t end = 0;
  };

  bool is_part(std::string_view text, bool is_inside);
  void extend(std::string_view word, const std::vector<std::uint32_t>& starts, std::size_t to);
  Head head_before(std::string_view word, std::uint32_t begin) const;

  std::shared_ptr<const CompoundWords> words_;
  const LanguageRules& rules_;
  Stemmer stemmer_;
  std::vector<Way> ways_;    // by the number of bytes
  std::vector<Head> heads_;  // by the number of characters
};

}  // namespace kindred
