#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/term_bag.h"
#include "analyzer/token.h"
#include "analyzer/word_cutter.h"
#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// Who says which language a text is in.
enum class LanguageSource {
  kGiven,     ///< the document or the settings
  kDetected,  ///< a LanguageDetector
};

/// Turns UTF-8 text into terms, in four steps:
///
/// 1. The text is cut into words by UAX #29 (segment.h: ICU, with dictionaries for Chinese,
///    Japanese and Thai). A word that a hyphen parts at a line end ("docu-", "ment") is one if it
///    stands elsewhere in the text, or a dictionary of settings.lemmas has it.
/// 2. Words are folded (normalize.h: NFKC_Casefold, optionally accents).
/// 3. The configured filters run (filter.h). If the settings have words for it, compounds get the
///    terms of their parts as further features.
/// 4. Words are joined to further features, if the settings ask for it (word_joiner.h).
///
/// Malformed UTF-8 is read as U+FFFD and counted. It never throws, and the rest of the text is
/// analyzed as usual. An analyzer holds ICU iterators and a stemmer, so it cannot be copied or
/// shared: use one per thread and language.
///
/// Results depend on the text alone, not on earlier texts. The analyzer remembers the results of
/// words, in at most 8 MiB between calls. During a call, memory grows with the distinct words of
/// the text.
class KINDRED_API Analyzer {
 public:
  /// `language`: an ISO 639 code, optionally with region or script ("pt", "pt_BR", "zh-Hans"), an
  /// English name that Snowball knows ("portuguese"), or "" for settings.language. A language that
  /// Snowball lacks is segmented and folded but not stemmed.
  /// @throws Error kNotFound or kInvalidArgument for a word-list file (naming file and line);
  /// kInvalidArgument for a filter that is unknown, and for a language that has
  /// neither the form of a code nor such a name.
  /// `cutter`: makes the words and terms, which no filter changes then; trace() does not ask it.
  explicit Analyzer(const AnalyzerSettings& settings, std::string_view language = {},
                    LanguageSource source = LanguageSource::kGiven,
                    std::unique_ptr<WordCutter> cutter = nullptr);
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  /// The features of the text, sorted and counted.
  TermBag analyze(std::string_view text);

  /// The unstemmed words of the text, sorted and counted: every Token::word except "". They are the
  /// features of an index without stems, so stop words and numbers are among them.
  TermBag words(std::string_view text);

  /// All words in text order, including those that are not features. The reference is valid until
  /// the next call of any function.
  const std::vector<Token>& tokens(std::string_view text);

  /// As tokens(), with what each step did.
  std::vector<TokenTrace> trace(std::string_view text);

  /// The term that the filters make of a word that is already folded; "" if they drop it. The
  /// parser of queries calls this. For a Token::word it gives Token::term, unless the filters
  /// can take still more off that word (as with "dog's's").
  std::string term_of(std::string_view word);

  /// True if `word` (folded) is a stop word that this analyzer drops. Always false if "stop_words"
  /// is not among its filters.
  bool is_stop_word(std::string_view word) const;

  /// How many malformed byte sequences it has met since construction.
  std::uint64_t malformed() const;

  /// The language in use: the two- or three-letter code, without region.
  const std::string& language() const;

  /// As given to the constructor.
  LanguageSource source() const { return source_; }

 private:
  struct Impl;
  TermBag counted(std::string_view text, std::string Token::*feature);

  LanguageSource source_;
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<WordCutter> cutter_;  // null: the steps above
};

}  // namespace kindred
