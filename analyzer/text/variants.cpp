#include "analyzer/text/variants.h"

#include <unicode/translit.h>

#include <algorithm>
#include <string_view>

#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// "mueller" to "müller", but not "neue", "bauer" or "quelle".
std::string with_umlauts(std::string_view word) {
  constexpr std::string_view kKeepsApart = "aeiouqy";
  std::string result;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool before_e = i + 1 < word.size() && word[i + 1] == 'e';
    const bool apart =
        i > 0 && (kKeepsApart.find(word[i - 1]) != kKeepsApart.npos || (word[i - 1] & 0x80) != 0);
    const char c = word[i];
    if (!before_e || apart || (c != 'a' && c != 'o' && c != 'u')) {
      result += c;
      continue;
    }
    result += c == 'a' ? "ä" : c == 'o' ? "ö" : "ü";
    ++i;
  }
  return result;
}

}  // namespace

struct Variants::Transform {
  std::unique_ptr<icu::Transliterator> transliterator;  // null if this ICU lacks it
};

Variants::Variants(const LanguageRules& rules) : rules_(rules) {
  if (rules.transliterate.empty()) return;
  UErrorCode status = U_ZERO_ERROR;
  transform_ = std::make_unique<Transform>();
  transform_->transliterator.reset(icu::Transliterator::createInstance(
      icu::UnicodeString::fromUTF8(rules.transliterate), UTRANS_FORWARD, status));
  if (U_FAILURE(status)) transform_->transliterator.reset();
}

Variants::~Variants() = default;

std::string Variants::apply(std::string word) const {
  if (rules_.umlauts) word = with_umlauts(word);
  for (const auto& [from, to] : rules_.variants) replace_all(word, from, to);
  if (!transform_ || !transform_->transliterator || is_ascii(word)) return word;
  icu::UnicodeString wide = icu::UnicodeString::fromUTF8(word);
  transform_->transliterator->transliterate(wide);
  std::string result;
  wide.toUTF8String(result);
  return result;
}

}  // namespace kindred
