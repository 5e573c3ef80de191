// Folding, malformed UTF-8, and random input through analyzer/analyzer.h.
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "analyzer/analyzer.h"
#include "analyzer/text/utf8.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;

namespace {

AnalyzerSettings plain(bool fold_accents = false) {
  AnalyzerSettings settings;
  settings.fold_accents = fold_accents;
  settings.filters = {"length"};
  return settings;
}

std::string folded(std::string_view text, bool fold_accents = false) {
  Analyzer analyzer(plain(fold_accents));
  std::string joined;
  for (const Token& t : analyzer.tokens(text)) joined += (joined.empty() ? "" : " ") + t.word;
  return joined;
}

/// Also of surrogates, which are malformed.
void append_utf8(std::uint32_t c, std::string& text) {
  if (c < 0x80) return text.push_back(static_cast<char>(c));
  constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>(kLead[more] | c >> 6 * more);
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> 6 * i & 63));
}

/// True if all words lie inside the text, in order, and a well-formed one is what stands there.
bool in_the_text(const std::vector<TokenTrace>& traces, const std::string& text) {
  std::size_t before = 0;
  for (const TokenTrace& trace : traces) {
    if (trace.begin < before || trace.end <= trace.begin || trace.end > text.size()) return false;
    const std::string there = text.substr(trace.begin, trace.end - trace.begin);
    if (repair_utf8(there) != trace.surface) return false;
    before = trace.begin;
  }
  return true;
}

}  // namespace

TEST_CASE("spellings that mean the same fold to one word") {
  CHECK(folded("STRASSE Straße straße") == "strasse strasse strasse");
  CHECK(folded("ﬁne ＡＢＣ Ⅳ ｶﾞ") == "fine abc iv ガ");
  CHECK(folded("cafe\u0301 café CAFÉ") == "café café café");
  CHECK(folded("ΟΔΟΣ οδός") == "οδοσ οδόσ");
  CHECK(folded("co\u00ADop\u00ADer\u00ADate") == "cooperate");
  CHECK(folded("don’t don't don＇t") == "don't don't don't");
}

TEST_CASE("white space parts words, and what Unicode ignores does not") {
  const auto between = [](std::string_view left, UChar32 c, std::string_view right) {
    std::string text(left);
    icu::UnicodeString(c).toUTF8String(text);
    return folded(text.append(right));
  };
  for (UChar32 c = 0; c <= UCHAR_MAX_VALUE; ++c) {
    if (!u_isUWhiteSpace(c)) continue;
    CAPTURE(c);
    CHECK(between("chats", c, "!") == "chats");
    CHECK(between("a", c, "b") == "a b");
    CHECK(between("10", c, "000") == "10 000");
    CHECK(between("é", c, "é") == "é é");
  }
  for (const UChar32 c : {0xAD, 0x34F, 0x61C, 0x180E, 0x200C, 0x200D, 0x200E, 0x200F, 0x202A,
                          0x202C, 0x202E, 0x2060, 0x2061, 0x2064, 0x2066, 0x2069, 0xFEFF}) {
    CAPTURE(c);
    CHECK(between("foo", c, "bar") == "foobar");
  }
  CHECK(between("foo", 0x200B, "bar") == "foo bar");
}

TEST_CASE("all apostrophes are one, and none is at the end of a word") {
  for (const char* c : {"'", "\u2018", "\u2019", "\u201B", "\u02BB", "\u02BC", "\uFF07"}) {
    CAPTURE(c);
    CHECK(folded("o" + std::string(c) + "zbek") == "o'zbek");
    CHECK(folded("м" + std::string(c) + "ята") == "м'ята");
    CHECK(folded(std::string(c) + "okina Hawai" + c + "i dogs" + c) == "okina hawai'i dogs");
  }
  Analyzer french({}, "fr");
  CHECK(french.tokens("l\u02BCavion")[0].word == "avion");
  Analyzer turkish({}, "tr");
  CHECK(turkish.tokens("Ankara\u02BCda")[0].word == "ankara");
}

TEST_CASE("words are what people write, and the same with every version of ICU") {
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"ask @alice or (@bob), @Override @ @@x", "ask alice or bob override x"},
      {"john.doe@example.org a@@b 1@a é@я ＠name a＠b",
       "john.doe@example.org a@@b 1@a é@я name a@b"},
      {"_important_ __very__ _bob snake_case __init__ _1_ ‿a‿b‿ ＿c＿",
       "important very bob snake_case init 1 a‿b c"},
      {"_é_ @日本 _日本_ カ_カ カ@", "é 日本 日本 カ_カ カ"},
      {"C++ (c++), C++17/C# F#, f# j#.", "c++ c++ c++ 17 c# f# f# j#"},
      {"用C++和C#、Java", "用 c++ 和 c# java"},
      {"a+++b x#y a#_ A+ count++ page#top é++ i ++", "a b x y a a count page top é i"},
      {"U.S.A. Ph.D. e.g. z.B. node.js v1.2.3 AT&T", "u.s.a ph.d e.g z.b node.js v1.2.3 at t"},
      {"„Zitat“ «citation» « deux mots » 「引用」 ‚x‘ »y«", "zitat citation deux mots 引用 x y"},
      {"12:30 a:b std::string Stockholm:s 1,000.50 3'4 l’été",
       "12 30 a b std string stockholm s "
       "1,000.50 3'4 l'été"},
      {"co-op co‐op co\u00ADop x·y a‧b 1٫5 ١٢٣ ½ Ⅳ", "co op co op coop x·y a‧b 1٫5 ١٢٣ 1⁄2 iv"},
      {"שלום צה״ל ג׳ורג׳ العَرَبِيَّة हिन्दी தமிழ் ქართული Ελληνικά",
       "שלום צה״ל ג׳ורג׳ العَرَبِيَّة हिन्दी தமிழ் "
       "ქართული ελληνικά"},
      {"한국어 👩‍🚀 a👍b 1️⃣ 🇩🇪 ♥x", "한국어 a b 1⃣ x"}};
  for (const auto& [text, words] : kWords) CHECK(folded(text) == words);
}

TEST_CASE(
    "a word that a hyphen parts at a line end is one if it stands in the text or a dictionary") {
  CHECK(folded("The docu-\nment is a document") == "the document is a document");
  CHECK(folded("a document: docu\u2010 \r\n\t ment. Docu\u00AD\nment") ==
        "a document document document");
  CHECK(folded("docu-\nment") == "docu ment");
  CHECK(folded("well-\nknown, well-known") == "well known well known");
  CHECK(folded("docu -\nment document docu-\n\nment docu- ment") ==
        "docu ment document docu ment docu ment");
  CHECK(folded("Überra-\nschung, ÜBERRASCHUNG") == "überraschung überraschung");

  const test::TemporaryDirectory folder;
  test::put_file(folder / "forms.tsv", "documents\tdocument\n");
  AnalyzerSettings settings;
  settings.lemmas = {"en=" + (folder / "forms.tsv")};
  Analyzer english(settings, "en");
  CHECK(english.words("docu-\nments docu-\nment docu-\nmental") ==
        TermBag{{"docu", 1}, {"document", 1}, {"documents", 1}, {"mental", 1}});

  const std::string text = "\xFF docu-\nment a\xFE document";
  Analyzer analyzer(plain());
  const auto traces = analyzer.trace(text);
  REQUIRE(traces.size() == 3);
  CHECK(text.substr(traces[0].begin, traces[0].end - traces[0].begin) == "docu-\nment");
  CHECK(text.substr(traces[1].begin, traces[1].end - traces[1].begin) == "a");
  CHECK(text.substr(traces[2].begin, traces[2].end - traces[2].begin) == "document");
  CHECK(analyzer.malformed() == 2);
}

TEST_CASE("folding what is folded changes nothing") {
  for (const bool fold_accents : {false, true})
    for (const char* text : {"ẞß İ Ǆ ſ ﷺ ΐ ᾳ é й ё ç ğ ñ ş Å K", "ﬃ Ⅷ ㎏ ½ ｶﾞ ｶﾞｯﾂ"}) {
      const std::string once = folded(text, fold_accents);
      CHECK(folded(once, fold_accents) == once);
    }
}

TEST_CASE("accents go only from letters of the Latin, Greek and Cyrillic scripts") {
  CHECK(folded("Café naïve Ångström Ñandú Việt ǖ", true) == "cafe naive angstrom nandu viet u");
  CHECK(folded("ελληνικά ΐ йод ёлка її", true) == "ελληνικα ι иод елка іі");
  CHECK(folded("हिन्दी", true) == folded("हिन्दी"));
  CHECK(folded("ที่นี่", true) == folded("ที่นี่"));
  CHECK(folded("שָׁלוֹם", true) == folded("שָׁלוֹם"));
  CHECK(folded("ガギグ 한국어 العَرَبِيَّة", true) == folded("ガギグ 한국어 العَرَبِيَّة"));
  CHECK(folded("søren łódź", true) == "søren łodz");
}

TEST_CASE("a word of which folding leaves nothing is not indexed, but has its place") {
  Analyzer analyzer(plain());
  const auto& tokens = analyzer.tokens("a \u3164 b");  // a Hangul filler: a letter, and ignorable
  REQUIRE(tokens.size() == 3);
  CHECK(tokens[1].word == "");
  CHECK(tokens[1].term == "");
  CHECK(tokens[2].position == 3);
}

TEST_CASE("hostile texts become words of well-formed UTF-8, alike in every call") {
  AnalyzerSettings settings;
  settings.ngrams = 2;
  const auto repeated = [](std::string_view part, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += part;
    return text;
  };
  std::string unicode;
  for (std::uint32_t c = 0; c < 0x110000; ++c) append_utf8(c, unicode);
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  for (const std::string& text :
       {unicode, repeated("x", kMegabyte), repeated("ж", kMegabyte), repeated("a-", kMegabyte),
        repeated("東京", kMegabyte / 8), repeated("a\u0301", kMegabyte / 4),
        repeated("\u202Eabc\u202C שלום \u2067x\u2069", kMegabyte / 8),
        repeated("abcдефกขคあいう한글", kMegabyte / 8), repeated("\xED\xA0\x80g", kMegabyte / 8)}) {
    Analyzer analyzer(settings);
    const std::vector<Token> tokens = analyzer.tokens(text);
    bool good = tokens.size() <= text.size();
    std::uint64_t features = 0;
    for (const Token& token : tokens) {
      good = good && is_utf8(token.word) && is_utf8(token.term) && token.word.size() <= 64;
      features += (token.term.empty() ? 0 : 1) + token.joined.size();
      for (const std::string& term : token.joined) good = good && is_utf8(term);
    }
    CHECK(good);
    std::uint64_t counted = 0;
    for (const TermCount& entry : analyzer.analyze(text)) counted += entry.count;
    CHECK(counted == features);
    CHECK(in_the_text(analyzer.trace(text), text));
  }
}

TEST_CASE("the trace says which bytes of the text are a word, also beside malformed ones") {
  AnalyzerSettings settings;
  settings.cjk = "bigrams";
  Analyzer analyzer(settings);
  const std::string text =
      "a \xFF\xE6\x9D"
      "bc d\xC3\xA9 \xED\xA0\x80 e\xEF\xBF\xBD 東京都 \xF0\x9F z";
  const std::vector<TokenTrace> traces = analyzer.trace(text);
  CHECK(in_the_text(traces, text));
  std::string surfaces;
  for (const TokenTrace& trace : traces)
    surfaces += text.substr(trace.begin, trace.end - trace.begin) + ' ';
  CHECK(surfaces == "a bc d\xC3\xA9 e 東京 京都 z ");
}

TEST_CASE("malformed UTF-8 separates words, is counted, and loses nothing of the rest") {
  struct Case {
    std::string text;
    std::string words;
    std::uint64_t malformed;
  };
  const Case cases[] = {
      {"ab\xFFgh", "ab gh", 1},
      {"ab\x80\x80gh", "ab gh", 2},                  // stray continuation bytes
      {"ab\xC0\xAFgh", "ab gh", 2},                  // overlong /
      {"ab\xE0\x80\xAFgh", "ab gh", 3},              // overlong, three bytes
      {"ab\xF0\x80\x80\xAFgh", "ab gh", 4},          // overlong, four bytes
      {"ab\xED\xA0\x80gh", "ab gh", 3},              // a surrogate
      {"ab\xED\xA0\xBD\xED\xB8\x80gh", "ab gh", 6},  // CESU-8
      {"ab\xF4\x90\x80\x80gh", "ab gh", 4},          // past U+10FFFF
      {"ab\xF8\x88\x80\x80\x80gh", "ab gh", 5},      // five bytes
      {"ab\xE6\x9D", "ab", 1},                       // a truncated end
      {"ab\xF0\x9F\x98", "ab", 1},
      {"\xC3", "", 1},
      {"\xE6\x9Dgh", "gh", 1},                           // truncated, then ASCII
      {"\xE6\x9D\xE6\x9D\xB1 gh", "東 gh", 1},           // truncated, then whole
      {"caf\xE9 na\xEFve", "caf na ve", 2},              // Latin-1
      {std::string("ab\0gh \0 ef", 10), "ab gh ef", 0},  // NUL is a character
      {std::string("é\0gh", 5), "é gh", 0},
      {"ab\uFFFDgh", "ab gh", 0},  // not malformed: it is there
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Analyzer analyzer(plain());
    std::string joined;
    for (const Token& t : analyzer.tokens(c.text)) joined += (joined.empty() ? "" : " ") + t.word;
    CHECK(joined == c.words);
    CHECK(analyzer.malformed() == c.malformed);
    analyzer.analyze(c.text);
    analyzer.words(c.text);
    analyzer.trace(c.text);
    CHECK(analyzer.malformed() == 4 * c.malformed);
  }
}

TEST_CASE("a malformed word asked for alone is repaired and counted, too") {
  Analyzer analyzer(AnalyzerSettings{});
  CHECK(analyzer.term_of("ab\xFF") == "ab\uFFFD");
  CHECK(analyzer.malformed() == 1);
  CHECK_FALSE(analyzer.is_stop_word("the\xFF"));
}

TEST_CASE("nothing that bytes can say throws, and every answer agrees with the others") {
  std::mt19937 random(11);
  std::vector<std::unique_ptr<Analyzer>> analyzers;
  for (const char* language : {"en", "fr", "ru", "tr", "ar", "el", "hi", "hu", "sr", "ta", "ne"}) {
    AnalyzerSettings settings;
    settings.fold_accents = analyzers.size() % 2 == 1;
    if (analyzers.size() % 3 != 0) settings.filters.emplace_back("numbers");
    analyzers.push_back(std::make_unique<Analyzer>(settings, language));
  }
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::size_t size = random() % 80; text.size() < size;) {
      const std::size_t bits = 7 + random() % 14;  // any plane, low ones more
      const auto c = static_cast<std::uint32_t>(random() % (1u << bits));
      if (i % 4 == 0 || c < 0x80)
        text += static_cast<char>(random());
      else
        append_utf8(c, text);
    }
    Analyzer& analyzer = *analyzers[random() % analyzers.size()];
    CAPTURE(text, analyzer.language());
    std::uint32_t features = 0;
    for (const Token& t : analyzer.tokens(text)) {
      CHECK(analyzer.term_of(t.word) == t.term);
      features += !t.term.empty();
    }
    std::uint32_t counted = 0;
    for (const TermCount& t : analyzer.analyze(text)) counted += t.count;
    CHECK(counted == features);
    CHECK(in_the_text(analyzer.trace(text), text));
    CHECK(analyzer.trace(text).size() == analyzer.tokens(text).size());
  }
}
