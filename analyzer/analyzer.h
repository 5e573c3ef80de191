#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// One word of a text. `word` is what people search for; `term` is the feature, empty if a filter
/// dropped the word from the features (a stop word, a number, ...).
struct Token {
  std::string word;            ///< folded, unstemmed; "" if the word is not to be indexed at all
  std::string term;            ///< after all filters
  std::uint32_t position = 0;  ///< 1-based place among the words of the text, gaps kept
};

/// What one step did to one word, for `kindred analyze`.
struct TraceStep {
  std::string step;    ///< "fold", or the filter's name
  std::string result;  ///< the word after it; "" if it was dropped here
};
struct TokenTrace {
  std::string surface;  ///< as it stands in the text
  std::uint32_t position = 0;
  std::vector<TraceStep> steps;  ///< only steps that changed or dropped the word
  std::string word;              ///< as Token::word
  std::string term;              ///< as Token::term
};

/// Turns UTF-8 text into terms: UAX #29 words (segment.h: ICU, with dictionaries for Chinese,
/// Japanese and Thai), folding (normalize.h: NFKC_Casefold, optionally accents), then the
/// configured filters (filter.h). Malformed UTF-8 is read as U+FFFD and counted; it never throws
/// and loses nothing of the rest. Holds ICU iterators and a stemmer, so it is neither copyable nor
/// shared: one for each thread and language. Deterministic: what it met before never shows. It
/// remembers what became of words, in at most 8 MiB between calls; during a call memory grows with
/// the distinct words of the text.
class KINDRED_API Analyzer {
 public:
  /// `language`: an ISO 639 code, optionally with region or script ("pt", "pt_BR", "zh-Hans"), an
  /// English name that Snowball knows ("portuguese"), or "" for settings.language. A language that
  /// Snowball lacks is segmented and folded but not stemmed.
  /// @throws Error kNotFound or kInvalidArgument for a word-list file (naming file and line);
  /// kInvalidArgument for a filter that is unknown or named twice, and for a language that has
  /// neither the form of a code nor such a name.
  explicit Analyzer(const AnalyzerSettings& settings, std::string_view language = {});
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// The features of the text, sorted and counted.
  TermBag analyze(std::string_view text);

  /// The unstemmed words of the text, sorted and counted: features of an index without stems,
  /// which has stop words and numbers, too. That is every Token::word but "".
  TermBag words(std::string_view text);

  /// All words in text order, also those that are no feature. The reference is good until the
  /// next call of any function.
  const std::vector<Token>& tokens(std::string_view text);

  /// As tokens(), with what each step did.
  std::vector<TokenTrace> trace(std::string_view text);

  /// The term that the filters make of one already folded word; "" if they drop it. This is what
  /// the query-parser adapters call. It is Token::term for every Token::word from which the filters
  /// have nothing more to take off (as they have from "dog's's").
  std::string term_of(std::string_view word);

  /// True if `word` (folded) is a stop word that this analyzer drops; never without that filter.
  bool is_stop_word(std::string_view word) const;

  /// Malformed byte sequences met since construction.
  std::uint64_t malformed() const;

  /// The language in use: the two- or three-letter code, without region.
  const std::string& language() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
