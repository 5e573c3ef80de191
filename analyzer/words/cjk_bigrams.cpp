#include "analyzer/words/cjk_bigrams.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <cstddef>

namespace kindred {
namespace {

bool is_cjk(std::string_view word) {
  UChar32 c = 0;
  U8_GET_UNSAFE(word.data(), 0, c);
  if (c < 0x1100) return false;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &status);
  return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
         script == USCRIPT_HANGUL || c == 0x30FC;  // the mark of long vowels is of both kana
}

/// Length of the first character with its marks.
std::size_t first_character(std::string_view text) {
  std::size_t end = 0;
  U8_FWD_1_UNSAFE(text.data(), end);
  while (end < text.size()) {
    std::size_t next = end;
    UChar32 c = 0;
    U8_NEXT_UNSAFE(text.data(), next, c);
    const bool halfwidth_mark = c == 0xFF9E || c == 0xFF9F;  // of voiced kana, letters to Unicode
    if ((U_GET_GC_MASK(c) & U_GC_M_MASK) == 0 && !halfwidth_mark) break;
    end = next;
  }
  return end;
}

void add_pairs(std::string_view run, std::vector<std::string_view>& words) {
  std::size_t first = first_character(run);
  if (first == run.size()) words.push_back(run);
  while (first < run.size()) {
    const std::size_t second = first_character(run.substr(first));
    words.push_back(run.substr(0, first + second));
    run.remove_prefix(first);
    first = second;
  }
}

}  // namespace

void to_cjk_bigrams(std::vector<std::string_view>& words, std::vector<std::string_view>& room) {
  room.clear();
  for (std::size_t i = 0; i < words.size();) {
    if (!is_cjk(words[i])) {
      room.push_back(words[i++]);
      continue;
    }
    std::string_view run = words[i++];
    while (i < words.size() && words[i].data() == run.data() + run.size() && is_cjk(words[i]))
      run = {run.data(), run.size() + words[i++].size()};
    add_pairs(run, room);
  }
  words.swap(room);
}

}  // namespace kindred
