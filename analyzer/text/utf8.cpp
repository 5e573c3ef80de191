#include "analyzer/text/utf8.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <xxhash.h>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "analyzer/text/normal_form.h"

namespace kindred {
namespace {

/// The code unit of the escape \uXXXX at `at`; nothing if there is none.
std::optional<unsigned> code_unit(std::string_view json_text, std::size_t at) {
  if (at + 6 > json_text.size() || json_text[at] != '\\' || json_text[at + 1] != 'u') return {};

  unsigned unit = 0;
  for (const char c : json_text.substr(at + 2, 4)) {
    const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
    if (digit == std::string_view::npos) return {};
    unit = unit * 16 + static_cast<unsigned>(digit);
  }
  return unit;
}

}  // namespace

std::string repair_utf8(std::string_view text, std::uint64_t* malformed,
                        std::string_view replacement) {
  std::string result;
  std::size_t copied = 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());

  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    UChar32 c = 0;
    U8_NEXT(bytes, i, text.size(), c);
    if (c >= 0) continue;

    // What is right before it is copied at once.
    result.append(text, copied, start - copied).append(replacement);
    copied = i;
    if (malformed != nullptr) ++*malformed;
  }
  return result.append(text, copied);
}

std::string repair_surrogates(std::string_view json, std::string_view digits) {
  std::string repaired(json);

  // Checks the escape at a place for its range.
  const auto is = [&](std::size_t at, unsigned from, unsigned to) {
    const auto unit = code_unit(repaired, at);
    return unit && *unit >= from && *unit <= to;
  };

  for (std::size_t i = repaired.find('\\'); i != repaired.npos; i = repaired.find('\\', i)) {
    // Two halves in their order are a character, and stay. One alone is none, and would make the
    // text malformed. All other escapes are stepped over, with the character behind the backslash.
    if (is(i, 0xD800, 0xDBFF) && is(i + 6, 0xDC00, 0xDFFF)) {
      i += 12;
    } else if (is(i, 0xD800, 0xDFFF)) {
      repaired.replace(i + 2, 4, digits);
      i += 6;
    } else {
      i += 2;
    }
  }
  return repaired;
}

bool is_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    UChar32 c = 0;
    U8_NEXT(bytes, i, text.size(), c);
    if (c < 0) return false;
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c & 0x80) == 0;
  });
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return !U8_IS_TRAIL(c);
  }));
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  // Most texts have nothing to replace, and are not copied.
  std::size_t at = text.find(from);
  if (at == std::string::npos) return;

  std::string result;
  std::size_t copied = 0;
  for (; at != std::string::npos; at = text.find(from, copied)) {
    result.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  text = result.append(text, copied);
}

std::string lower_ascii(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return result;
}

std::string trimmed_nfc(std::string_view text) {
  // Most texts are ASCII without blanks at their ends: they are in that form already.
  const bool ends_inside = !text.empty() && text.front() > ' ' && text.back() > ' ';
  if (!is_utf8(text) || (ends_inside && is_ascii(text))) return std::string(text);

  const icu::UnicodeString wide = icu::UnicodeString::fromUTF8(text);
  std::int32_t begin = 0;
  std::int32_t end = wide.length();
  while (begin < end && u_isUWhiteSpace(wide[begin]) != 0) ++begin;
  while (begin < end && u_isUWhiteSpace(wide[end - 1]) != 0) --end;

  std::string trimmed;
  return normalized(wide.tempSubStringBetween(begin, end), NormalForm::kNfc).toUTF8String(trimmed);
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && U8_IS_TRAIL(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string checksum_text(std::string_view bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64,
                static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  return text;
}

}  // namespace kindred
