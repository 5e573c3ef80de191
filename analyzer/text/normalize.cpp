#include "analyzer/text/normalize.h"

#include <unicode/bytestream.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>
#include <algorithm>

#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

constexpr std::size_t kLongestWord = std::size_t{1} << 26;  // folded, ICU can still count it

std::string nfkc_casefold(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  std::string result;
  icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
  normal_form(NormalForm::kNfkcCasefold).normalizeUTF8(0, text, sink, nullptr, status);
  check_icu(status, "NFKC_Casefold");
  return result;
}

bool has_accents_for_looks(UChar32 c) {
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  return u_isalpha(c) &&
         (script == USCRIPT_LATIN || script == USCRIPT_GREEK || script == USCRIPT_CYRILLIC);
}

icu::UnicodeString without_accents(const icu::UnicodeString& decomposed) {
  icu::UnicodeString result;
  bool droppable = false;  // the last letter is one whose marks go
  for (std::int32_t i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1)) {
    const UChar32 c = decomposed.char32At(i);

    // In Latin, Greek and Cyrillic an accent goes. In other scripts, such as Devanagari, marks are
    // vowels and stay.
    const bool mark = u_charType(c) == U_NON_SPACING_MARK;
    if (mark && droppable) continue;
    if (!mark) droppable = has_accents_for_looks(c);
    result.append(c);
  }
  return result;
}

std::string strip_accents(std::string_view text) {
  const icu::UnicodeString decomposed =
      normalized(icu::UnicodeString::fromUTF8(text), NormalForm::kNfd);
  std::string result;
  return normalized(without_accents(decomposed), NormalForm::kNfc).toUTF8String(result);
}

void straighten_apostrophes(std::string& word) {
  for (const std::string_view apostrophe :
       {"\u2018", "\u2019", "\u201B", "\u02BB", "\u02BC", "\u02BD", "\u055A"})
    replace_all(word, apostrophe, "'");

  // Those at its ends were quotation marks.
  word.erase(0, std::min(word.find_first_not_of('\''), word.size()));
  word.resize(word.find_last_not_of('\'') + 1);
}

bool is_dropped(UChar32 c, const LanguageRules& rules) {
  const auto at = static_cast<char32_t>(c);
  return std::ranges::any_of(rules.drop, [&](const auto& range) {
    return range.first <= at && at <= range.second;
  });
}

// Applies LanguageRules::drop, fold and digits.
std::string fold_by_rules(std::string_view word, const LanguageRules& rules) {
  std::string result;
  for (std::size_t i = 0; i < word.size();) {
    // The characters of a word that have a rule are few: what has none is copied as it is.
    const std::size_t begin = i;
    UChar32 c = 0;
    U8_NEXT_UNSAFE(word.data(), i, c);
    const std::int32_t digit = rules.digits ? u_charDigitValue(c) : -1;
    if (digit >= 0) {
      result += static_cast<char>('0' + digit);
    } else if (!is_dropped(c, rules)) {
      result.append(word, begin, i - begin);
    }
  }

  // Replacements come last, because they are written in terms of what drop and digits leave.
  for (const auto& [from, to] : rules.fold) replace_all(result, from, to);
  return result;
}

}  // namespace

Normalizer::Normalizer(const Language& language, bool fold_accents)
    : locale_(language.code == "none" ? "" : language.code),
      rules_(*language.rules),
      has_rules_(!rules_.drop.empty() || !rules_.fold.empty() || rules_.digits),
      fold_accents_(fold_accents) {}

std::string Normalizer::fold(std::string_view text) const {
  if (is_ascii(text) && !rules_.dotless_i) return lower_ascii(text);
  text = utf8_prefix(text, kLongestWord);

  // Turkish and Azeri have two letters i. The casefold of Unicode knows one, so they are told apart
  // before it.
  std::string word(text);
  if (rules_.dotless_i) {
    replace_all(word, "I\xCC\x87", "i");  // I and a combining dot: the decomposed dotted capital
    replace_all(word, "\xC4\xB0", "i");   // U+0130
    replace_all(word, "I", "\xC4\xB1");   // U+0131
  }

  // In this order: casefold brings the forms of a character together, and the rules of the language
  // name one of them.
  word = nfkc_casefold(word);
  straighten_apostrophes(word);
  if (has_rules_) word = fold_by_rules(word, rules_);
  if (fold_accents_) return strip_accents(word);
  return word;
}

std::string Normalizer::lower(std::string_view text) const {
  if (is_ascii(text) && !rules_.dotless_i) return lower_ascii(text);
  text = utf8_prefix(text, kLongestWord);

  const icu::UnicodeString wide =
      icu::UnicodeString::fromUTF8(text).toLower(icu::Locale(locale_.c_str()));
  std::string word;
  normalized(wide, NormalForm::kNfc).toUTF8String(word);
  straighten_apostrophes(word);
  return word;
}

std::string Normalizer::key() const { return locale_ + (fold_accents_ ? " folds accents" : ""); }

}  // namespace kindred
