#include "config/shown.h"

#include <unicode/uchar.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <utility>

namespace kindred {
namespace {

constexpr UChar32 kJoiner = 0x200D;
constexpr UChar32 kNonJoiner = 0x200C;

bool is(UChar32 c, UProperty property) { return u_hasBinaryProperty(c, property) != 0; }

/// True for a character that a reader would not see, or that reorders others.
bool is_hidden(UChar32 c) {
  constexpr std::uint32_t kNever = U_GC_CC_MASK | U_GC_ZL_MASK | U_GC_ZP_MASK | U_GC_CS_MASK;

  // Controls, ends of lines and halves of characters are never shown; nor is what Unicode calls
  // ignorable. Of the format characters, signs before Arabic numbers are visible.
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & kNever) != 0 || U_IS_UNICODE_NONCHAR(c)) return true;
  if (is(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT)) return true;
  return (category & U_GC_CF_MASK) != 0 && !is(c, UCHAR_PREPENDED_CONCATENATION_MARK);
}

/// True if a hidden character has a visible effect after `before`, the last character shown or 0.
bool is_needed(UChar32 c, UChar32 before) {
  // Selectors choose between looks of the character before them, joiners tie letters of some
  // scripts and emoji together. Where there is nothing to choose or tie, they only hide something.
  const bool selects = is(c, UCHAR_VARIATION_SELECTOR);
  if (!selects && c != kJoiner && c != kNonJoiner) return false;
  if (is(before, UCHAR_VARIATION_SELECTOR)) return !selects;  // as in the emoji of a burning heart
  if (before == kJoiner || before == kNonJoiner) return false;
  return before > 0x7F || (selects && is(before, UCHAR_EMOJI));  // as in the emoji of keys
}

template <typename... Values>
void append(std::string& out, const char* format, Values... values) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), format, values...);
  out += text.data();
}

void append_escape(std::string& out, UChar32 c, ShownAs as) {
  const auto code = static_cast<unsigned>(c);

  // JSON has escapes of UTF-16: two for a character beyond it.
  if (as == ShownAs::kJson) {
    if (c > 0xFFFF) append(out, "\\u%04x", static_cast<unsigned>(U16_LEAD(c)));
    append(out, "\\u%04x", c > 0xFFFF ? static_cast<unsigned>(U16_TRAIL(c)) : code);

  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c <= 0x7F) {
    append(out, "\\x%02x", code);
  } else {
    append(out, c > 0xFFFF ? "\\U%08x" : "\\u%04x", code);
  }
}

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string shown(std::string_view text, ShownAs as) {
  std::string out;
  out.reserve(text.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  UChar32 before = 0;  // the last character that was shown as it is

  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    UChar32 c = 0;
    U8_NEXT(bytes, i, text.size(), c);
    const bool visible = (c >= 0x20 && c < 0x7F) || (c == '\n' && as == ShownAs::kJson);

    // A malformed byte, a character that must not work, or one that is shown.
    if (c < 0) {
      for (std::size_t at = start; at < i; ++at) append(out, "\\x%02x", unsigned{bytes[at]});
    } else if (!visible && is_hidden(c) && !is_needed(c, before)) {
      append_escape(out, c, as);
    } else {
      if (c == '\\' && as == ShownAs::kReversible) out += '\\';
      out.append(text, start, i - start);
      before = c;
      continue;
    }

    // Behind an escape a joiner has nothing to join.
    before = 0;
  }
  return out;
}

std::string number_text(double value) {
  std::array<char, 32> text;
  char* const end = text.data() + text.size();

  const bool plain = std::trunc(value) == value && std::abs(value) < 1e15;

  // Large whole numbers would be written with an exponent, which people read less well.
  const auto written = plain ? std::to_chars(text.data(), end, value, std::chars_format::fixed)
                             : std::to_chars(text.data(), end, value);

  return {text.data(), written.ptr};
}

std::string fixed(double value, int decimals) {
  std::array<char, 400> text;

  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::fixed, decimals);
  return {text.data(), written.ptr};
}

/// Bytes of a word that are compared with known ones, which are shorter.
constexpr std::size_t kMostCompared = 256;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table are kept: this one, the last, and, for a swap, the one before it.
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> last(row);
  std::vector<std::size_t> before(row);
  std::iota(row.begin(), row.end(), std::size_t{0});

  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;

    for (std::size_t j = 1; j <= b.size(); ++j) {
      // A change or none, a letter left out of a, one left out of b; and two neighbors that changed
      // places count once.
      std::size_t change = last[j - 1];
      if (a[i - 1] != b[j - 1]) ++change;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }

  return row[b.size()];
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 200;
  if (text.size() <= kMost) return std::string(text);

  // A character is not cut in two.
  std::size_t end = kMost;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string choices_text(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view& word : words)
    append_item(text, word, &word == &words.back() ? " or " : ", ");
  return text;
}

std::string likely_of(std::string_view word, const std::vector<std::string>& known) {
  // Somebody who leaves the end of a name away means the only one that begins so. A single letter
  // is no begin to build on.
  word = without_dashes(word).substr(0, kMostCompared);
  const auto begins = [&](const std::string& name) {
    return without_dashes(name).starts_with(word);
  };
  const auto first = std::find_if(known.begin(), known.end(), begins);

  const bool is_only = first != known.end() && std::none_of(first + 1, known.end(), begins);
  if (is_only && word.size() > 1) return *first;

  // Else the nearest one, if it is near enough for the length of the word, and shares at least a
  // letter with it.
  std::string likely;
  std::size_t least = 2 + word.size() / 3;
  for (const std::string& name : known) {
    const std::string_view letters = without_dashes(name);
    const std::size_t distance = edit_distance(word, letters);
    if (distance >= least || distance >= std::max(word.size(), letters.size())) continue;
    least = distance;
    likely = name;
  }

  return likely;
}

std::vector<std::string> nearest_of(std::string_view word, const std::vector<std::string>& known,
                                    std::size_t count) {
  word = word.substr(0, kMostCompared);

  // The number of edits first, then the order of the list.
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, place
  for (std::size_t i = 0; i < known.size(); ++i)
    ranked.emplace_back(edit_distance(word, known[i]), i);

  count = std::min(count, known.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end());

  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < count; ++i) {
    nearest.push_back(known[ranked[i].second]);
  }
  return nearest;
}

}  // namespace kindred
