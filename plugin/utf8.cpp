#include "plugin/utf8.h"

#include <algorithm>

namespace kindred {
namespace {

using Byte = unsigned char;

/// What may follow a lead byte: how many more bytes, and the range of the first of them, which
/// keeps out overlong forms, surrogates and numbers past U+10FFFF (Unicode, table 3-7).
struct Lead {
  std::size_t more;
  Byte low, high;
};

Lead lead_of(Byte b) {
  if (b < 0x80) return {0, 0, 0};
  if (b >= 0xC2 && b <= 0xDF) return {1, 0x80, 0xBF};
  if (b >= 0xE0 && b <= 0xEF) {
    return {2, Byte(b == 0xE0 ? 0xA0 : 0x80), Byte(b == 0xED ? 0x9F : 0xBF)};
  }
  if (b >= 0xF0 && b <= 0xF4) {
    return {3, Byte(b == 0xF0 ? 0x90 : 0x80), Byte(b == 0xF4 ? 0x8F : 0xBF)};
  }
  return {0, 1, 0};  // no lead byte
}

struct Sequence {
  std::size_t length;
  bool valid;
};

/// The character at the start of `text` (not empty), or the longest part of one.
Sequence first_sequence(std::string_view text) {
  Lead lead = lead_of(static_cast<Byte>(text[0]));
  if (lead.more == 0) return {1, lead.low == 0};
  for (std::size_t i = 1; i <= lead.more; ++i) {
    const Byte b = i < text.size() ? static_cast<Byte>(text[i]) : Byte{0};
    if (b < lead.low || b > lead.high) return {i, false};
    lead.low = 0x80;
    lead.high = 0xBF;
  }
  return {lead.more + 1, true};
}

}  // namespace

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const auto ascii =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(),
                                              [](char c) { return static_cast<Byte>(c) >= 0x80; }) -
                                 text.begin());
    repaired.append(text.substr(0, ascii));
    text.remove_prefix(ascii);
    if (text.empty()) break;
    const Sequence sequence = first_sequence(text);
    repaired.append(sequence.valid ? text.substr(0, sequence.length) : "\xEF\xBF\xBD");
    text.remove_prefix(sequence.length);
  }
  return repaired;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  const auto continues = [&](std::size_t i) { return (static_cast<Byte>(text[i]) & 0xC0) == 0x80; };
  while (bytes > 0 && continues(bytes)) --bytes;
  return text.substr(0, bytes);
}

}  // namespace kindred
