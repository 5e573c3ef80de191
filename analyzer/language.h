#pragma once

#include <string>
#include <string_view>

namespace kindred {

/// A language as the steps of analysis know it.
struct Language {
  std::string code;     ///< ISO 639: two letters where there is such a code, else three; or "none"
  std::string stemmer;  ///< the name that Snowball would know it by, "" if there is none
  std::string list;     ///< <list>.txt of config/stopwords would hold its stop words
};

/// Reads an ISO 639-1, -2 or -3 code, with or without region and script in any notation ("pt",
/// "por", "pt_BR", "zh-Hans", "eng_Latn"), an English name of a Snowball stemmer ("portuguese"),
/// or "none". Case does not matter. The languages of a macrolanguage that ISO 639-3 tells apart but
/// whose text does not ("arb", "cmn", "ekk") get the two-letter code. A code that nobody has
/// assigned is a language without a stemmer.
/// @throws Error kInvalidArgument if `name` is neither a code in form nor such a name.
Language find_language(std::string_view name);

}  // namespace kindred
