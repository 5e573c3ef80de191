#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/word_list.h"
#include "config/settings.h"

namespace kindred {

/// A word on its way through the filters.
struct Draft {
  std::string word;       ///< as Token::word; "" = not to be indexed
  std::string term;       ///< as Token::term; "" = no feature
  bool has_stem = false;  ///< overridden or a lemma: later steps do not change the term
  std::string spelling;   ///< `word` before folding, as Normalizer::lower(); "" if no step needs it
  std::vector<std::string> parts;  ///< of a compound: words that are features, too
};

/// One step. A filter that changes the word also changes the term. A term that was dropped stays
/// dropped.
struct Filter {
  std::string name;
  std::function<void(Draft& draft)> apply;  ///< `draft.word` is not ""
};

/// The filters of the settings, in their order:
///
///   elision          takes articles and pronouns off French, Italian and Catalan words: "l'eau"
///   possessive       takes 's off English words, and endings behind an apostrophe off Turkish ones
///   normalize        gives the term one of several spellings or scripts (variants.h): "ё", "œ",
///                    "Mueller", Serbian in Cyrillic, traditional Chinese
///   length           drops word and term if they are longer than kMaxWordBytes
///   numbers          drops the term of words without letters
///   stop_words       drops the term of stop words, also in another spelling
///   stem_overrides   gives the words of a file their stem, or leaves them as they are, and keeps
///                    them from the steps below
///   decompound       finds the parts of compounds that are not overridden, if
///                    settings.compounds has words of the language (compound_splitter.h). No
///                    setting names it: it comes before lemma and stem
///   lemma            gives words their lemma, if a source of settings.lemmas for the language
///                    knows them as they are or normalized, and keeps them from the step below;
///                    of several spellings the lemma has the one that normalize gives
///   stem             Snowball; for languages that it lacks, suffixes and prefixes
///                    (text/language.h)
///
/// Use one per thread.
class FilterChain {
 public:
  /// @throws Error kInvalidArgument for a filter that is unknown; for the files, as
  /// read_word_list() and parse_words(); for
  /// settings.lemmas, as open_lemma_sources().
  FilterChain(const AnalyzerSettings& settings, const Language& language,
              const Normalizer& normalizer);

  FilterChain(const FilterChain&) = delete;
  FilterChain& operator=(const FilterChain&) = delete;

  void apply(Draft& draft);

  /// Calls step(filter, draft) after each filter.
  template <typename Step>
  void apply(Draft& draft, Step&& step) {
    for (const auto& filter : filters_) {
      if (draft.word.empty()) return;
      filter.apply(draft);
      step(filter, draft);
    }
  }

  /// The stop words that are dropped, folded; none if "stop_words" is not among the filters.
  const WordSet& stop_words() const { return stop_words_; }

  /// True if Draft::spelling is to be filled in.
  bool needs_spelling() const { return needs_spelling_; }

  /// The terms of the parts of a compound: of Draft::parts after apply(), as the filters make them
  /// of words, but parts are not split again. A part that the filters drop has none.
  std::vector<std::string> terms_of_parts(const Draft& draft);

 private:
  WordSet stop_words_;
  bool needs_spelling_ = false;
  std::vector<Filter> filters_;
};

}  // namespace kindred
