// The words of analyzer/text/segment.h against those of ICU alone, over the whole text at once:
// the table for ASCII and the cuts at white space must not show. Where they differ on purpose (the
// signs @ and _, C++, and Arabic number signs, which versions of ICU read differently), the oracle
// follows word by word.
#include "analyzer/text/segment.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "tests/fixtures/catch.h"

using namespace kindred;
using Words = std::vector<std::string>;

namespace {

Words words_of(Segmenter& segmenter, std::string_view text) {
  Words words;
  std::vector<std::string_view> stretch;
  segmenter.start(text);
  while (segmenter.next(stretch)) words.insert(words.end(), stretch.begin(), stretch.end());
  return words;
}

bool has_letter_or_number(const icu::UnicodeString& segment) {
  for (std::int32_t i = 0; i < segment.length(); i = segment.moveIndex32(i, 1)) {
    const UChar32 c = segment.char32At(i);
    const bool is_mark = u_charType(c) == U_NON_SPACING_MARK;
    if ((u_isUAlphabetic(c) && !is_mark) || (U_GET_GC_MASK(c) & U_GC_N_MASK) != 0) return true;
  }
  return false;
}

bool joins(UChar32 c) {
  return c == '@' || c == 0xFF20 || u_getIntPropertyValue(c, UCHAR_WORD_BREAK) == U_WB_EXTENDNUMLET;
}

/// A segment of ICU in `text` as a word: without signs that join at its ends, with those of C++.
std::string word_of(const icu::UnicodeString& text, std::int32_t begin, std::int32_t end) {
  while (joins(text.char32At(begin))) begin = text.moveIndex32(begin, 1);
  while (joins(text.char32At(text.moveIndex32(end, -1)))) end = text.moveIndex32(end, -1);
  const bool one_letter = end - begin == 1 && text[begin] < 0x80 && u_isalpha(text[begin]);
  const auto at = [&](std::int32_t i) {
    return end + i < text.length() ? text.char32At(end + i) : UChar32{' '};
  };
  const bool plus = at(0) == '+' && at(1) == '+' && at(2) != '+';
  const bool sharp = at(0) == '#' && at(1) != '#' && at(1) != '_' &&
                     !has_letter_or_number(icu::UnicodeString(at(1)));
  if (one_letter && plus) end += 2;
  if (one_letter && sharp) end += 1;
  std::string word;
  text.tempSubStringBetween(begin, end).toUTF8String(word);
  return word;
}

Words words_of_icu(std::string_view utf8) {
  UErrorCode status = U_ZERO_ERROR;
  static const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(utf8.data(), static_cast<std::int32_t>(utf8.size())));
  icu::UnicodeString joined = text;
  for (const UChar32 at : {0x40, 0xFF20}) joined.findAndReplace(at, "_");
  for (UChar32 sign = 0x0600; sign <= 0x0605; ++sign) joined.findAndReplace(sign, 0x2060);
  breaks->setText(joined);
  Words words;
  std::int32_t begin = 0;
  for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    if (has_letter_or_number(text.tempSubStringBetween(begin, end)))
      words.push_back(word_of(text, begin, end));
    begin = end;
  }
  return words;
}

std::string random_bytes(std::mt19937& random, std::size_t size, std::string_view alphabet) {
  std::string text;
  while (text.size() < size) text += alphabet[random() % alphabet.size()];
  return text;
}

// Characters that the rules treat differently, over several scripts and planes.
std::string random_unicode(std::mt19937& random, std::size_t characters) {
  static const std::vector<std::string> pieces = {
      " ",      " ",      " ",       "\n",     "\r\n",   "\t",     "\u3000",   "\u00A0", "a",
      "b",      "Z",      "7",       "42",     "_",      "'",      "\u2019",   ".",      ",",
      ";",      ":",      "\"",      "-",      "@",      "é",      "+",        "++",     "#",
      "\uFF20", "\u203F", "e\u0301", "\u0301", "\u00AD", "\u200D", "\u200B",   "\u05D0", "\u05F4",
      "я",      "ё",      "日",      "本語",   "ひ",     "カタ",   "ー",       "한",     "ไทย",
      "ก",      "ကမ",     "ខ្មែរ",    "ຄວ",     "क्षि",    "😀",      "👩\u200D🚀", "🇩",      "🇪",
      "½",      "²",      "٣",       "Ⅳ",      "\uFFFD", "𝒳",      "𠀀"};
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) {
    if (random() % 200 == 0) {
      text += std::string(random() % 300, 'x') + " some plain words in between, " +
              std::string(random() % 100, ' ');
    } else {
      text += pieces[random() % pieces.size()];
    }
  }
  return text;
}

}  // namespace

TEST_CASE("ASCII punctuation joins words exactly as ICU says") {
  Segmenter segmenter;
  CHECK(words_of(segmenter,
                 "can't 3.14 a_b e.g. x--y 1,2;3 rock'n'roll a..b 5'3 _ __ _a 'tis' home.net") ==
        Words{"can't", "3.14", "a_b", "e.g", "x", "y", "1,2;3", "rock'n'roll", "a", "b", "5'3", "a",
              "tis", "home.net"});
  CHECK(words_of(segmenter, "me@home.net @ @x") == Words{"me@home.net", "x"});
}

TEST_CASE("every ASCII text of two characters, and of four marks, has the words of ICU") {
  Segmenter segmenter;
  for (int first = 0; first < 128; ++first)
    for (int second = 0; second < 128; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      for (const std::string& text :
           {pair, "a" + pair, pair + "1", "a" + pair + "a", "1" + pair + "1"})
        if (words_of(segmenter, text) != words_of_icu(text)) FAIL(text);
    }
  const std::string marks = "a1_@'.,:; -\"\n+#";
  for (std::size_t i = 0; i < marks.size() * marks.size() * marks.size() * marks.size(); ++i) {
    std::string text;
    for (std::size_t rest = i; text.size() < 4; rest /= marks.size())
      text += marks[rest % marks.size()];
    if (words_of(segmenter, text) != words_of_icu(text)) FAIL(text);
  }
}

TEST_CASE("random ASCII has the words of ICU") {
  Segmenter segmenter;
  std::mt19937 random(1);
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  for (int i = 0; i < 3000; ++i) {
    const std::string text =
        random_bytes(random, random() % 200, i % 2 == 0 ? all : "ab12_@'.,:; \"-\t+#");
    CAPTURE(text);
    REQUIRE(words_of(segmenter, text) == words_of_icu(text));
  }
}

TEST_CASE("random Unicode has the words of ICU, wherever a stretch ends") {
  Segmenter segmenter;
  std::mt19937 random(2);
  for (int i = 0; i < 1500; ++i) {
    const std::string text = random_unicode(random, random() % 400);
    CAPTURE(text);
    REQUIRE(words_of(segmenter, text) == words_of_icu(text));
  }
  for (const std::size_t size : {30'000u, 200'000u}) {  // longer than a stretch
    const std::string text = random_unicode(random, size);
    REQUIRE(words_of(segmenter, text) == words_of_icu(text));
    const std::string ascii = random_bytes(random, size, "ab12_@'.,:; \"-\t");
    REQUIRE(words_of(segmenter, ascii) == words_of_icu(ascii));
  }
}

TEST_CASE("random bytes have the words of ICU and count as malformed once a sequence") {
  Segmenter segmenter;
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string text = random_unicode(random, random() % 60);
    for (std::size_t hits = random() % 6; hits > 0 && !text.empty(); --hits)
      text[random() % text.size()] = static_cast<char>(random());
    for (std::size_t hits = random() % 40; i % 3 == 0 && hits > 0; --hits)
      text += static_cast<char>(random());
    CAPTURE(text);
    const std::uint64_t before = segmenter.malformed();
    REQUIRE(words_of(segmenter, text) == words_of_icu(text));
    std::string repaired;
    icu::UnicodeString::fromUTF8(text).toUTF8String(repaired);
    const auto marks = [](const std::string& s) {
      std::uint64_t count = 0;
      for (auto at = s.find("\uFFFD"); at != s.npos; at = s.find("\uFFFD", at + 3)) ++count;
      return count;
    };
    CHECK(segmenter.malformed() - before == marks(repaired) - marks(text));
  }
}

TEST_CASE("text that never breaks is one stretch") {
  Segmenter segmenter;
  const std::string latin(300'000, 'x');
  CHECK(words_of(segmenter, latin) == Words{latin});
  std::string han;
  for (int i = 0; i < 100'000; ++i) han += "我喜欢";
  CHECK(words_of(segmenter, han).size() == 200'000);
}
