// The segmenter and ICU against WordBreakTest.txt of the Unicode Character Database (version 14).
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "analyzer/text/segment.h"
#include "tests/analyzer/words/conformance_file.h"
#include "tests/fixtures/catch.h"

using namespace kindred;
using test::conformance_file;
using Segments = std::vector<icu::UnicodeString>;

namespace {

// "÷ 0061 × 0308 ÷ 0031 ÷" to its segments.
Segments read_line(const std::string& line) {
  Segments segments;
  std::istringstream fields(line.substr(0, line.find('#')));
  bool begin = true;
  for (std::string field; fields >> field;) {
    if (field == "÷") {
      begin = true;
    } else if (field == "×") {
      begin = false;
    } else {
      if (begin) segments.emplace_back();
      segments.back().append(static_cast<UChar32>(std::stoul(field, nullptr, 16)));
    }
  }
  return segments;
}

icu::UnicodeString joined(const Segments& segments) {
  icu::UnicodeString text;
  for (const auto& segment : segments) text += segment;
  return text;
}

Segments segments_of_icu(icu::BreakIterator& breaks, const icu::UnicodeString& text) {
  breaks.setText(text);
  Segments segments;
  std::int32_t begin = 0;
  for (std::int32_t end = breaks.next(); end != icu::BreakIterator::DONE; end = breaks.next()) {
    segments.push_back(text.tempSubStringBetween(begin, end));
    begin = end;
  }
  return segments;
}

bool has_colon_inside(const Segments& segments) {
  return std::any_of(segments.begin(), segments.end(),
                     [](const icu::UnicodeString& s) { return s.indexOf(u':') > 0; });
}

std::vector<std::string> words_among(const Segments& segments) {
  std::vector<std::string> words;
  for (const auto& segment : segments) {
    bool word = false;
    for (std::int32_t i = 0; i < segment.length(); i = segment.moveIndex32(i, 1))
      word = word || u_isUAlphabetic(segment.char32At(i)) ||
             (U_GET_GC_MASK(segment.char32At(i)) & U_GC_N_MASK) != 0;
    if (!word) continue;
    std::string& text = words.emplace_back();
    segment.toUTF8String(text);
    // A sign that joins words is no part of one at its ends.
    text.erase(0, text.find_first_not_of("_@"));
    text.erase(text.find_last_not_of("_@") + 1);
  }
  return words;
}

std::vector<std::string> words_of(Segmenter& segmenter, const icu::UnicodeString& text) {
  std::string utf8;
  text.toUTF8String(utf8);
  std::vector<std::string> words;
  std::vector<std::string_view> stretch;
  segmenter.start(utf8);
  while (segmenter.next(stretch)) words.insert(words.end(), stretch.begin(), stretch.end());
  return words;
}

}  // namespace

TEST_CASE("words agree with WordBreakTest.txt as far as ICU does") {
  std::ifstream file(conformance_file("WordBreakTest.txt"));
  if (!file) {
    std::puts("SKIPPED: no WordBreakTest.txt; set KINDRED_CONFORMANCE to its folder");
    SUCCEED();
    return;
  }
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  REQUIRE(U_SUCCESS(status));
  Segmenter segmenter;
  const bool colon_separates = segments_of_icu(*breaks, "a:a").size() == 3;
  std::size_t lines = 0, number = 0, differing = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const Segments expected = read_line(line);
    if (expected.empty()) continue;
    ++lines;
    const icu::UnicodeString text = joined(expected);
    const Segments found = segments_of_icu(*breaks, text);
    CAPTURE(number, line);
    CHECK(words_of(segmenter, text) == words_among(found));
    // CLDR takes the colon out of MidLetter, so ICU breaks where the file joins letters by one.
    const bool tailored = colon_separates && has_colon_inside(expected);
    CHECK((found != expected) == tailored);
    differing += tailored;
  }
  CHECK(lines > 1000);
  CHECK(differing == (colon_separates ? 15 : 0));
}
