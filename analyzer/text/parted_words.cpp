#include "analyzer/text/parted_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace kindred {
namespace {

constexpr std::string_view kHyphens[] = {"-", "\u2010", "\u00AD"};
constexpr std::string_view kBlanks = " \t\r";

/// Malformed UTF-8 is no letter.
bool is_letter(UChar32 c) {
  return c >= 0 && (u_isUAlphabetic(c) || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0);
}

/// The length of the hyphen at the end of a text; 0 if there is none.
std::size_t hyphen_at_end(std::string_view text) {
  for (const std::string_view hyphen : kHyphens)
    if (text.ends_with(hyphen)) return hyphen.size();
  return 0;
}

std::size_t begin_of_letters(std::string_view text, std::size_t end) {
  // A letter has several bytes, so the text is read backwards character by character, no further
  // than a part may be long.
  const std::size_t from = end - std::min(end, kLongestPart);

  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data() + from);
  auto begin = static_cast<std::int32_t>(end - from);
  for (std::int32_t at = begin; at > 0; begin = at) {
    UChar32 c = 0;
    U8_PREV(bytes, 0, at, c);
    if (!is_letter(c)) break;
  }
  return from + static_cast<std::size_t>(begin);
}

std::size_t end_of_letters(std::string_view text, std::size_t begin) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());

  const std::size_t last = std::min(text.size(), begin + kLongestPart);
  std::size_t end = begin;
  for (std::size_t at = begin; at < last; end = at) {
    UChar32 c = 0;
    U8_NEXT(bytes, at, last, c);
    if (!is_letter(c)) break;
  }
  return end;
}

std::optional<PartedWord> parted_at(std::string_view text, std::size_t line_end) {
  // Nearly all lines end without a hyphen, and one byte tells so.
  constexpr std::string_view kLastBytes = "- \t\r\x90\xAD";  // of hyphens and blanks
  if (line_end == 0 || kLastBytes.find(text[line_end - 1]) == kLastBytes.npos) return {};

  const std::size_t last = text.substr(0, line_end).find_last_not_of(kBlanks);
  if (last == text.npos) return {};
  const std::size_t length = hyphen_at_end(text.substr(0, last + 1));
  if (length == 0) return {};

  // A part stands on each side of the line end, and nothing but blanks between them.
  PartedWord word{};
  word.hyphen = last + 1 - length;
  word.begin = begin_of_letters(text, word.hyphen);
  word.rest = text.find_first_not_of(kBlanks, line_end + 1);
  if (word.begin == word.hyphen || word.rest == text.npos) return {};
  word.end = end_of_letters(text, word.rest);
  if (word.end == word.rest) return {};
  return word;
}

}  // namespace

std::vector<PartedWord> parted_words(std::string_view text) {
  std::vector<PartedWord> words;
  std::size_t end = text.find('\n');
  for (; end != text.npos; end = text.find('\n', end + 1))
    if (const auto word = parted_at(text, end)) words.push_back(*word);
  return words;
}

std::vector<std::string_view> letter_runs(std::string_view text,
                                          const std::bitset<kLongestPart>& lengths) {
  // Nearly all text is ASCII. A run of it is measured in place, and handed out only if a word of
  // its length is wanted.
  const auto is_ascii_letter = [](char c) {
    const char small = static_cast<char>(c | 0x20);
    return small >= 'a' && small <= 'z';
  };

  std::vector<std::string_view> runs;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && is_ascii_letter(text[i])) ++i;
    const bool goes_on = i < text.size() && (text[i] & 0x80) != 0;

    if (!goes_on) {
      const std::size_t size = i - begin;
      if (size > 0 && size < lengths.size() && lengths[size])
        runs.push_back(text.substr(begin, size));
      ++i;
      continue;
    }

    // A letter beyond ASCII is among them, and its length in the folded form is unknown: such a run
    // is always handed out.
    i = end_of_letters(text, begin);
    if (i > begin) runs.push_back(text.substr(begin, i - begin));

    // What ends a run may have several bytes.
    ++i;
    while (i < text.size() && U8_IS_TRAIL(text[i])) ++i;
  }
  return runs;
}

}  // namespace kindred
