#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kindred {

/// What the analyzer knows of a language: a table of config/languages.toml. All strings are UTF-8,
/// in small letters.
struct LanguageRules {
  using Replacement = std::pair<std::string, std::string>;  // from, to

  std::string code;                   ///< as Language::code
  std::vector<std::string> stemmers;  ///< Snowball's; the first is taken if there are no
                                      ///< `suffixes`, others if they are named

  // How people write the same word. `drop` and `fold` change what people search for, too.
  std::vector<std::pair<char32_t, char32_t>> drop;  ///< characters to leave out: from, to
  std::vector<Replacement> fold;                    ///< in this order, everywhere
  bool digits = false;                              ///< digits of all scripts become those of ASCII
  bool dotless_i = false;                           ///< I is the capital of dotless i
  std::vector<Replacement> variants;                ///< as `fold`, for terms only
  bool umlauts = false;       ///< ae, oe and ue are umlauts in terms, but not after a vowel
                              ///< or q
  std::string transliterate;  ///< of terms, by the ICU transform of this name; "" = none

  // What is no part of a word.
  std::vector<std::string> elided;      ///< what may precede an apostrophe
  std::vector<std::string> possessive;  ///< endings
  bool cut_at_apostrophe = false;       ///< endings of names follow an apostrophe

  // Stems without Snowball: the longest suffix goes, and the longest prefix, if `keeps`
  // characters stay.
  std::vector<std::string> prefixes;  ///< longest first
  std::vector<std::string> suffixes;  ///< longest first
  std::int64_t keeps = 0;
  bool okurigana = false;  ///< hiragana behind other characters is an ending

  // Compounds (compound_splitter.h).
  std::vector<std::string> links;        ///< between two parts, shortest first
  std::vector<std::string> never_parts;  ///< words that look like endings of other words
  std::int64_t least_part = 4;           ///< characters of a part

  std::string text;  ///< the table as TOML, without its comments
};

/// All of them, by code.
std::span<const LanguageRules> language_rules();

/// What a table of names has for a code, or "": "synonyms", "written_forms", "dictionaries" (of
/// Hunspell), "packages" (of these).
std::string language_name(std::string_view table, std::string_view code);

/// Those of a language; rules that say nothing if there are none.
const LanguageRules& rules_of(std::string_view code);

/// A word without the longest of the prefixes and the longest of the suffixes of the rules that it
/// has; one that would leave less than `keeps` characters stays. The okurigana of Japanese go
/// first, then the suffix. `word`: folded, in well-formed UTF-8.
std::string without_affixes(std::string_view word, const LanguageRules& rules);

/// The content of config/languages.toml.
std::string_view builtin_languages();

/// A language as the steps of analysis know it.
struct Language {
  std::string code;     ///< ISO 639: two letters where there is such a code, else three; or "none"
  std::string stemmer;  ///< the name of its Snowball stemmer, which a build may lack; "": none
  std::string list;     ///< its stop words are in config/stopwords/<list>.txt, if there is a list
  const LanguageRules* rules = nullptr;  ///< never null once found; lives as long as the program
};

/// Finds a language by one of these names, in any case of letters:
///
/// - an ISO 639-1, -2 or -3 code, with or without region and script in any notation ("pt", "por",
///   "pt_BR", "zh-Hans", "eng_Latn"),
/// - the English name of a Snowball stemmer ("portuguese"),
/// - "none".
///
/// ISO 639-3 has codes for the usual form of a macrolanguage ("arb", "cmn", "ekk"). They become the
/// two-letter code. A code that nobody has assigned is a language without a stemmer.
/// @throws Error kInvalidArgument if `name` does not have the form of a code and is no such name.
Language find_language(std::string_view name);

/// True if find_language() finds it.
bool is_language(std::string_view name);

}  // namespace kindred
