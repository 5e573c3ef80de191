#include "analyzer/languages/affixes.h"

#include <algorithm>
#include <cstddef>

#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// True if `word` has at least `keeps` characters without an affix of `size` bytes.
bool may_lose(std::string_view word, std::size_t size, std::string_view rest, std::int64_t keeps) {
  return word.size() > size && count_characters(rest) >= static_cast<std::size_t>(keeps);
}

/// The word without hiragana at its end, unless it has nothing else: ICU cuts "住んだ" behind the
/// ideograph, but keeps "住む".
std::string_view without_okurigana(std::string_view word) {
  static constexpr std::size_t kBytes = 3;  // of each of these characters
  const auto ends_in_hiragana = [](std::string_view text) {
    const std::string_view last = text.substr(text.size() - std::min(text.size(), kBytes));
    return last >= "ぁ" && last <= "ゖ";
  };
  std::string_view rest = word;
  while (ends_in_hiragana(rest)) rest.remove_suffix(kBytes);
  return rest.empty() ? word : rest;
}

}  // namespace

std::string without_affixes(std::string_view word, const LanguageRules& rules) {
  if (rules.okurigana) word = without_okurigana(word);
  for (const std::string& suffix : rules.suffixes) {
    if (!word.ends_with(suffix)) continue;
    const std::string_view rest = word.substr(0, word.size() - suffix.size());
    if (!may_lose(word, suffix.size(), rest, rules.keeps)) continue;
    word = rest;
    break;
  }
  for (const std::string& prefix : rules.prefixes) {
    if (!word.starts_with(prefix)) continue;
    const std::string_view rest = word.substr(prefix.size());
    if (!may_lose(word, prefix.size(), rest, rules.keeps)) continue;
    word = rest;
    break;
  }
  return std::string(word);
}

}  // namespace kindred
