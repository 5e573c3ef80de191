#include "analyzer/text/variants.h"

#include <cstddef>
#include <string_view>

#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// The umlaut of a vowel; "" if it has none.
std::string_view umlaut_of(char vowel) {
  switch (vowel) {
    case 'a':
      return "ä";
    case 'o':
      return "ö";
    case 'u':
      return "ü";
    default:
      return {};
  }
}

/// "mueller" to "müller", but not "neue", "bauer" or "quelle".
std::string with_umlauts(std::string_view word) {
  constexpr std::string_view kKeepsApart = "aeiouqy";
  std::string result;

  for (std::size_t i = 0; i < word.size(); ++i) {
    // A vowel before it, as in "bauer", keeps the e apart; all of its bytes beyond ASCII do, too.
    const bool before_e = i + 1 < word.size() && word[i + 1] == 'e';
    const bool apart =
        i > 0 && (kKeepsApart.find(word[i - 1]) != kKeepsApart.npos || (word[i - 1] & 0x80) != 0);
    const std::string_view umlaut = umlaut_of(word[i]);
    if (!before_e || apart || umlaut.empty()) {
      result += word[i];
      continue;
    }

    result += umlaut;
    ++i;  // over the e
  }
  return result;
}

}  // namespace

Variants::Variants(const LanguageRules& rules) : rules_(rules) {
  if (rules.transliterate.empty()) return;
  UErrorCode status = U_ZERO_ERROR;

  // Without a table for it in this build of ICU, words keep their script.
  transform_.reset(icu::Transliterator::createInstance(
      icu::UnicodeString::fromUTF8(rules.transliterate), UTRANS_FORWARD, status));
  if (U_FAILURE(status)) transform_.reset();
}

std::string Variants::apply(std::string word) const {
  // Umlauts first: the variants and the table are written for words that have them.
  if (rules_.umlauts) word = with_umlauts(word);
  for (const auto& [from, to] : rules_.variants) replace_all(word, from, to);

  if (!transform_ || is_ascii(word)) return word;
  icu::UnicodeString wide = icu::UnicodeString::fromUTF8(word);
  transform_->transliterate(wide);
  std::string result;
  wide.toUTF8String(result);
  return result;
}

}  // namespace kindred
