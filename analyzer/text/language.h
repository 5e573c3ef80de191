#pragma once

#include <string>
#include <string_view>

#include "analyzer/text/language_rules.h"

namespace kindred {

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
