#include "plugin/cli/pages/drawing/scripts.h"

#include <unicode/unistr.h>
#include <unicode/uscript.h>
#include <algorithm>
#include <array>

namespace kindred::cli {

Scripts scripts_of(const std::vector<std::string>& texts) {
  std::set<UScriptCode> found;
  for (const std::string& text : texts) {
    const icu::UnicodeString letters = icu::UnicodeString::fromUTF8(text);
    for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1)) {
      UErrorCode status = U_ZERO_ERROR;
      const UScriptCode script = uscript_getScript(letters.char32At(i), &status);
      if (U_SUCCESS(status)) found.insert(script);
    }
  }
  found.erase(USCRIPT_COMMON);
  found.erase(USCRIPT_INHERITED);
  constexpr std::array kEastAsian = {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA,
                                     USCRIPT_HANGUL, USCRIPT_BOPOMOFO};
  Scripts scripts;
  for (const UScriptCode script : found) {
    scripts.names.insert(uscript_getName(script));
    const bool is_east_asian =
        std::find(kEastAsian.begin(), kEastAsian.end(), script) != kEastAsian.end();
    (is_east_asian ? scripts.has_east_asian : scripts.has_others) = true;
  }
  if (found.count(USCRIPT_HIRAGANA) + found.count(USCRIPT_KATAKANA) > 0) {
    scripts.ideographs = "ja";
  } else if (found.count(USCRIPT_HANGUL) > 0) {
    scripts.ideographs = "ko";
  } else if (found.count(USCRIPT_HAN) + found.count(USCRIPT_BOPOMOFO) > 0) {
    scripts.ideographs = "zh";
  }
  return scripts;
}

}  // namespace kindred::cli
