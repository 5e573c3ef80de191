// Which text may be shown on terminals, in pages, drawings, logs and messages.
#include "config/shown.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <nlohmann/json.hpp>

#include "config/error.h"
#include "config/regular_file.h"
#include "tests/fixtures/catch.h"

using namespace kindred;
using std::literals::string_literals::operator""s;

namespace {

std::string utf8(UChar32 c) {
  char bytes[4];
  int size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  return {bytes, static_cast<std::size_t>(size)};
}

/// The code points of valid UTF-8.
std::vector<UChar32> code_points(const std::string& text) {
  std::vector<UChar32> found;
  for (std::size_t i = 0; i < text.size();) {
    UChar32 c = 0;
    U8_NEXT(reinterpret_cast<const std::uint8_t*>(text.data()), i, text.size(), c);
    REQUIRE(c >= 0);
    found.push_back(c);
  }
  return found;
}

/// Undoes ShownAs::kReversible.
std::string undone(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      bytes += text[i++];
      continue;
    }
    const char kind = text.at(i + 1);
    const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    const auto value =
        digits == 0 ? 0 : static_cast<UChar32>(std::stoul(text.substr(i + 2, digits), nullptr, 16));
    if (kind == 'x') {
      bytes += static_cast<char>(value);
    } else if (digits > 0) {
      bytes += utf8(value);
    } else {
      bytes += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
    }
    i += 2 + digits;
  }
  return bytes;
}

/// Pieces of hostile texts, and some harmless ones.
const std::vector<std::string> kPieces = {
    "a",      "\\",         "\x1b[31m",     "\n",       "\t",         "\r",
    "\0"s,    "\x7f",       "\u0085",       "\u009b",   "\u202e",     "\u2066",
    "\u200f", "\u061c",     "\u200b",       "\u200c",   "\u200d",     "\u2028",
    "\u2029", "\ufeff",     "\u00ad",       "\ufe0f",   "\U000e0041", "\ufffe",
    "\xff",   "\xc0\xaf",   "\xed\xa0\x80", "\xe2\x80", "\U000e0100", "\u00e9",
    "\u4e2d", "\U0001f525", "\u0631",       "\u0600",   "\xf4\x90",   "\u2764\ufe0f"};

std::string hostile(std::mt19937& random) {
  std::string text;
  for (auto n = random() % 12; n > 0; --n) {
    text += kPieces[random() % kPieces.size()];
    if (random() % 4 == 0) text += static_cast<char>(random() % 256);
  }
  return text;
}

}  // namespace

TEST_CASE("ordinary text is shown as it is") {
  for (const std::string text :
       {"", "plain", "C:\\path \"quoted\" <b>&", "caf\u00e9 \u65e5\u672c\u8a9e \u0420\u0443\u0441",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937",
        "\u2764\ufe0f\u200d\U0001f525", "1\ufe0f\u20e3",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u845b\U000e0100", "\ufffd", "\u00a0 \u3000",
        "\ue000", "\u0600\u0661"})
    CHECK(shown(text) == text);
}

TEST_CASE("characters that hide or move text are shown as escapes") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
      {"two\nlines\tand\rone", "two\\nlines\\tand\\rone"},
      {"\0end"s, "\\x00end"},
      {"\x7f", "\\x7f"},
      {"\u009b31m", "\\u009b31m"},
      {"user\u202etxt.exe", "user\\u202etxt.exe"},
      {"\u2066a\u2069\u200e\u200f\u061c", "\\u2066a\\u2069\\u200e\\u200f\\u061c"},
      {"a\u2028b\u2029", "a\\u2028b\\u2029"},
      {"ad\u200bmin\ufeff\u00ad\u2060", "ad\\u200bmin\\ufeff\\u00ad\\u2060"},
      {"a\U000e0041", "a\\U000e0041"},
      {"\ufffe\U0001ffff", "\\ufffe\\U0001ffff"},
      {"caf\xe9", "caf\\xe9"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xc0\xaf\xe2\x80", "\\xc0\\xaf\\xe2\\x80"},
      // Joiners and selectors that join and select nothing.
      {"admin\u200d", "admin\\u200d"},
      {"\u200cadmin", "\\u200cadmin"},
      {"\u00e9\u200d\u200d", "\u00e9\u200d\\u200d"},
      {"a\ufe0f", "a\\ufe0f"},
      {"\u2764\ufe0f\ufe0e", "\u2764\ufe0f\\ufe0e"}};
  for (const auto& [text, expected] : cases) CHECK(shown(text) == expected);
}

TEST_CASE("JSON means the same with what may not be shown escaped") {
  CHECK(shown("{\"a\":\"\u202e\U000e0041\x7f\u009b\"}\n", ShownAs::kJson) ==
        "{\"a\":\"\\u202e\\udb40\\udc41\\u007f\\u009b\"}\n");
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto handler = nlohmann::json::error_handler_t::replace;
    const std::string json = nlohmann::json(hostile(random)).dump(-1, ' ', false, handler);
    CHECK(nlohmann::json::parse(shown(json, ShownAs::kJson)) == nlohmann::json::parse(json));
  }
}

TEST_CASE("any bytes become text that can be shown, and that can be undone") {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = hostile(random);
    const std::string safe = shown(text);
    for (const UChar32 c : code_points(safe)) {
      REQUIRE(c >= 0x20);
      REQUIRE((c < 0x7F || c > 0x9F));
      REQUIRE((c < 0x202A || c > 0x202E));
      REQUIRE((c < 0x2066 || c > 0x2069));
      for (const UChar32 never : {0x200B, 0x200E, 0x200F, 0x61C, 0x2028, 0x2029, 0xFEFF, 0xFFFE})
        REQUIRE(c != never);
    }
    REQUIRE(shown(safe) == safe);
    REQUIRE(undone(shown(text, ShownAs::kReversible)) == text);
  }
}

TEST_CASE("the message of an error can be shown whole") {
  const Error error(Errc::kNotFound, "a\0b\x1b\n\xff\u202e"s);
  CHECK(error.what() == "a\\x00b\\x1b\\n\\xff\\u202e"s);
  CHECK(error.code() == Errc::kNotFound);
  CHECK_NOTHROW(check_path("a b", "a file"));
  CHECK_THROWS_WITH(check_path("a\0b"s, "a file"),
                    "a\\x00b: expected the path of a file, without zero bytes");
}

TEST_CASE("the distance of two words counts what a slip does to letters") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("waves", "waves") == 0);
  for (const char* slip : {"wvaes", "wave", "wavess", "waces", "awves", "wavse"})
    CHECK(edit_distance(slip, "waves") == 1);
  CHECK(edit_distance("ca", "abc") == 3);  // a pair that changed places is not changed again
  CHECK(likely_of("lable", {"table", "label"}) == "table");
  CHECK(likely_of("laebl", {"table", "label"}) == "label");
}
