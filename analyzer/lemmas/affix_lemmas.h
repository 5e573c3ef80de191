#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/lemmas/affix_table.h"
#include "analyzer/lemmas/entry_table.h"

namespace kindred {

/// The lemmas of words by the entries and affix rules of a Hunspell dictionary: the same as
/// Hunspell's for words that are no compounds, in a fraction of the time. Immutable; any number of
/// threads may use it.
///
/// Hunspell tries the rules one after the other, and builds a text of what it finds. Here rules
/// that append and strip the same share one look-up. A word may have a prefix, one or two suffixes,
/// or both, as Hunspell has it (man 5 hunspell: flags of rules, CIRCUMFIX, NEEDAFFIX, FULLSTRIP).
class AffixLemmas {
 public:
  /// All lemmas of a word, spelled as it is or with a capital first, each once; none if the
  /// dictionary does not know it. `word`, `capital`: the two spellings, in UTF-8.
  std::vector<std::string> lemmas_of(std::string_view word, std::string_view capital) const;

 private:
  friend class AffixLemmasReader;  // fills it: affix_lemmas_reader.h
  class Search;

  AffixLemmas() = default;

  EntryTable entries_;
  AffixTable prefixes_{true}, suffixes_{false};
  std::vector<bool> continues_;  // by flag: a rule lets affixes of this flag follow
  bool has_second_suffixes_ = false;
  AffixFlag forbidden_ = 0, needs_affix_ = 0, only_in_compounds_ = 0, circumfix_ = 0;
  bool strips_whole_words_ = false;
  Replacements replacements_;  // in words
};

}  // namespace kindred
