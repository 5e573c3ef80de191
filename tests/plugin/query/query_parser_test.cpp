// Queries: words become the terms of the index, and operators mean what they mean to Xapian.
#include "plugin/query/query_parser.h"
#include "analyzer/analyzer.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>
#include <xapian.h>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::says;

namespace {

/// An index of documents a, b, ... with these texts.
class Texts {
 public:
  explicit Texts(const std::vector<std::string>& texts, const std::string& settings = "",
                 const std::string& title = "") {
    std::vector<Record> records;
    for (const std::string& text : texts) {
      records.push_back(
          test::record(std::string(1, static_cast<char>('a' + records.size())), text));
      if (records.size() == 1) records.back().title = title;
    }
    settings_ = parse_settings(settings, "test");
    settings_.backend.kind = "cpu";
    test::write(directory_ / "db", records, settings_);
    engine_ = std::make_unique<Engine>(directory_ / "db", settings_);
  }

  /// The ids of the documents that match, without anything between them.
  std::string found(const std::string& query) const {
    std::string ids;
    for (const Xapian::docid docid : engine_->matching(query)) ids += engine_->id_of(docid);
    return ids;
  }

  const Engine& engine() const { return *engine_; }

 private:
  test::TemporaryDirectory directory_;
  Settings settings_;
  std::unique_ptr<Engine> engine_;
};

std::string in_language(const std::string& code, const std::string& more = "") {
  return "[analyzer]\nlanguage = \"" + code + "\"\n" + more;
}

std::string from_icu(const icu::UnicodeString& wide) {
  std::string text;
  wide.toUTF8String(text);
  return text;
}

std::string upper(const std::string& text, const std::string& language) {
  return from_icu(icu::UnicodeString::fromUTF8(text).toUpper(icu::Locale(language.c_str())));
}

/// The terms of the first word of a query.
std::vector<std::string> terms(const std::string& query, const std::string& language = "en",
                               const AnalyzerSettings& settings = {}) {
  Analyzer analyzer(settings, language);
  return parse_query(query, {"Z"}, {}, analyzer).words.at(0).terms;
}

using Terms = std::vector<std::string>;

}  // namespace

TEST_CASE("what is written in a text finds it, in every language and any case") {
  struct Sample {
    const char* language;
    const char* text;
  };
  const Sample samples[] = {
      {"en", "We use node.js, example.com or-else file_name.txt; mail john.doe@example.org, AT&T"},
      {"en", "The Ph.D. of U.S.A. wrote http://www.example.net/path v1.2.3 O'Brien's boat C++"},
      {"en", "co-operate 1,000.50 3:30 rock'n'roll it’s don't @user #tag .net foo/bar a\\b x=y"},
      {"en", "self-\u00ADhelp soft\u00ADware zero\u200Bwidth word\u2060joiner narrow\u202Fspace"},
      {"de", "Straße Größe Fußballplatz Haus Häuser Verträge Büro Mueller Donaudampfschifffahrt"},
      {"de", "gibt’s Müller-Lüdenscheidt GmbH&Co. z.B. d.h. 1.000,50 Ärzte/Ärztinnen"},
      {"fr", "L'avion l’été Qu'il aujourd'hui Œuvre cœur ÉMILE naïve chats\u202F! 10\u202F000"},
      {"it", "Dell'acqua un'altra Perché città"},
      {"tr", "Işık ışık İstanbul Ankara'da DİYARBAKIR ılık"},
      {"el", "Οδυσσεύς οδός ΑΘΗΝΑ Ελλάδα"},
      {"ru", "Ёлка йод Москва Санкт-Петербург"},
      {"uk", "М’ята м'яч об\u02BCєкт Київ"},
      {"ar", "العَرَبِيَّة ١٢٣٤ أحمد كتاب"},
      {"fa", "می\u200Cخواهم کتاب‌ها ۱۲۳"},
      {"he", "שָׁלוֹם צה״ל ג׳ירף"},
      {"hi", "हिन्दी किताबें १२३"},
      {"ja", "東京都に住む コンピューター ﾊﾝｶｸ ﾊﾞﾅﾅ １２３ 第１章"},
      {"zh", "我们在北京大学学习中文 漢語"},
      {"ko", "한국어를 배웁니다 서울대학교"},
      {"th", "ภาษาไทยไม่มีช่องว่าง"},
      {"vi", "Việt Nam tiếng"},
      {"haw", "\u02BBOkina Hawai\u02BBi"},
      {"uz", "O\u02BBzbek g\u2018oza"},
      {"none", "Résumé Ångström 5\u202Fkm ＦＵＬＬ ﬁne"},
  };
  for (const Sample& sample : samples) {
    for (const std::string more : {"", "cjk = \"bigrams\"\n", "fold_accents = true\n"}) {
      const Texts texts({"something else", sample.text, "0 nothing"},
                        in_language(sample.language, more));
      std::istringstream words(sample.text);
      for (std::string word; words >> word;) {
        CAPTURE(sample.language, more, word);
        while (word.ends_with(',') || word.ends_with(';')) word.pop_back();
        std::vector<std::string> forms = {word, '"' + word + '"', "+" + word, "(" + word + ")"};
        // What has a capital has one capital form; the letters of others may have none or several.
        if (std::string(sample.language) != "he") forms.push_back(upper(word, sample.language));
        for (const std::string& form : forms) {
          CAPTURE(form);
          CHECK(texts.found(form) == "b");
        }
        CHECK(texts.found("-\"" + word + '"') == "ac");
      }
    }
  }
}

TEST_CASE("a word is found in other forms, spellings and compositions") {
  const Texts german({"Das Haus am See, ein Vertrag", "Die Häuser am Meer", "sonst"},
                     in_language("de"));
  for (const char* query : {"haus", "Haus", "HAUS", "Häuser", "häuser", "Ha\u0308user", "hauses"})
    CHECK(german.found(query) == "ab");
  CHECK(german.found("\"Haus\"") == "a");
  CHECK(german.found("Verträge") == "a");
  const Texts english({"U.S.A. O’Brien's café Straße", "usual"});
  for (const char* query :
       {"u.s.a", "U.S.A.", "O'Brien", "o’brien’s", "cafe\u0301", "CAFÉ", "strasse", "STRASSE"})
    CHECK(english.found(query) == "a");
  const Texts folding({"Café Résumé", "x"}, "[analyzer]\nfold_accents = true\n");
  for (const char* query : {"cafe", "Café", "RÉSUMÉ", "\"resume cafe\" OR \"Cafe résumé\""})
    CHECK(folding.found(query) == "a");
  const Texts apostrophes({"\u02BBokina qur\u02BCan l\u201Bavion o\u02BDzbek d\u055Aart", "x"});
  for (const char* query : {"okina", "\u2018okina", "qur'an", "l’avion", "o'zbek", "d'art"})
    CHECK(apostrophes.found(query) == "a");
}

TEST_CASE("names, emphasis, languages of one letter and words parted at a line end are found") {
  const Texts texts({"Ask @alice about _important_ C++ code",
                     "alice: C# is __important__, C is not",
                     "The docu-\nment is in the document store", "ment"});
  for (const char* query : {"alice", "@alice", "\"@alice\"", "ALICE", "important", "_important_"})
    CHECK(texts.found(query) == "ab");
  CHECK(texts.found("c++") == "a");
  CHECK(texts.found("\"C++ code\"") == "a");
  CHECK(texts.found("C# OR (c++)") == "ab");
  CHECK(texts.found("c") == "b");
  CHECK(texts.found("\"the document is\"") == "c");
  CHECK(texts.found("ment") == "d");
  CHECK(texts.found("*") == "abcd");
  CHECK(texts.found(" * ") == "abcd");
}

TEST_CASE("quotes of every language make phrases and values") {
  const Texts texts({"the moon landing site", "landing on the moon", "月面着陆"});
  for (const char* query :
       {"\"moon landing\"", "“moon landing”", "„moon landing“", "„moon landing”", "„moon landing\"",
        "«moon landing»", "« moon landing »", "»moon landing«", "「moon landing」",
        "『moon landing』", "-„on the moon“ moon"})
    CHECK(texts.found(query) == "a");
  for (const char* query :
       {"moon « landing", "moon » landing", "moon 「 landing", "moon 」 landing"})
    CHECK(texts.found(query) == "ab");
  std::vector<Record> records = {test::record("a", "x"), test::record("b", "x")};
  records[0].labels = {"New York"};
  records[1].labels = {"York"};
  const test::EngineOf engine(records);
  for (const char* query : {"label:„New York“", "label:« New York »", "label:「New York」"})
    CHECK(engine.matching(query) == std::vector<Xapian::docid>{1});
  CHECK(says(test::message_of([&] { engine.matching("„moon"); }), {"byte 1: a quote"}));
  CHECK(says(test::message_of([&] { engine.matching("label:„moon»"); }), {"byte 7: a quote"}));
}

TEST_CASE("a language is found in any notation that records have it in") {
  std::vector<Record> records;
  for (const char* language : {"pt_BR", "pt-BR", "PT", "en-GB", "zh-Hans", "deu", "xx"})
    (records.emplace_back(test::record(language, "word"))).language = language;
  const test::EngineOf engine(records);
  for (const char* query : {"lang:pt", "lang:pt_BR", "lang:pt-BR", "lang:PT", "lang:\"pt_PT\""})
    CHECK(engine.matching(query) == std::vector<Xapian::docid>{1, 2, 3});
  CHECK(engine.matching("lang:EN") == std::vector<Xapian::docid>{4});
  CHECK(engine.matching("lang:zh-Hans") == std::vector<Xapian::docid>{5});
  CHECK(engine.matching("lang:de_AT") == std::vector<Xapian::docid>{6});
  CHECK(engine.matching("lang:fr").empty());
}

TEST_CASE("a document is found by its words in another language than that of the query") {
  std::vector<Record> records = {test::record("de", "Die Häuser und Verträge"),
                                 test::record("ja", "コンピューターを使う"),
                                 test::record("en", "houses")};
  for (Record& record : records) record.language = record.id;
  const test::EngineOf engine(records);
  CHECK(engine.matching("Häuser").size() == 1);
  CHECK(engine.matching("verträge -houses").size() == 1);
  CHECK(engine.matching("コンピューター").size() == 1);
  CHECK(engine.matching("house").size() == 1);
}

TEST_CASE("scripts without spaces are cut as in the index, also in fields and phrases") {
  for (const char* settings : {"", "[analyzer]\ncjk = \"bigrams\"\n"}) {
    const Texts texts({"東京都に住む", "京都に住む", "東京タワーと都"}, settings, "東京都の本");
    CAPTURE(settings);
    CHECK(texts.found("東京都") == "a");
    CHECK(texts.found("\"東京都に\"") == "a");
    CHECK(texts.found("住む") == "ab");
    CHECK(texts.found("title:東京都") == "a");
    CHECK(texts.found("title:(東京都 OR 大阪)") == "a");
    CHECK(texts.found("title:京都に") == "");
    CHECK(texts.found("住む\u3000NOT\u3000東京都") == "b");
    CHECK(texts.found("-東京都") == "bc");
  }
}

TEST_CASE("words of a query are those terms of the index that the analysis makes") {
  CHECK(terms("running") == Terms{"Zrun", "running"});
  CHECK(terms("Perros", "es") == Terms{"Zperr", "perros"});
  CHECK(terms("node.js") == Terms{"Znode.j", "node.js"});
  CHECK(terms("title:Bäume", "de") == Terms{"ZSbaum", "Sbäume"});
  CHECK(terms("the") == Terms{"the"});
  CHECK(terms("the cats") == Terms{"the"});
  AnalyzerSettings no_numbers;
  no_numbers.filters.emplace_back("numbers");
  CHECK(terms("1984", "en", no_numbers) == Terms{"1984"});
  Analyzer analyzer({}, "en");
  CHECK(parse_query("cats", {""}, {}, analyzer).words.at(0).terms == Terms{"cats"});
  Settings stems;
  stems.index.stemmed_words = true;
  CHECK(parse_query("cats", {""}, stems, analyzer).words.at(0).terms == Terms{"cat"});
  CHECK(parse_query("a AND NOT cats -dogs -(b c)", {"Z"}, {}, analyzer).words.size() == 1);
}

TEST_CASE("stop words are left out beside other words, and counted alone") {
  const Texts texts({"the cat", "a cat", "of the"});
  CHECK(texts.found("the cat") == "ab");
  CHECK(texts.found("+the cat") == "a");
  CHECK(texts.found("\"the cat\"") == "a");
  CHECK(texts.found("the") == "ac");
  CHECK(texts.found("of the") == "c");
  CHECK(texts.found("cat -the") == "b");
  CHECK(texts.found("the -cat") == "c");
}

TEST_CASE("a query of what is not wanted matches everything else") {
  const test::EngineOf engine;
  const auto count = [&](const std::string& query) { return engine.matching(query).size(); };
  CHECK(count("-cat") == 4);
  CHECK(count("NOT cat") == 4);
  CHECK(count("-cats") == 4);
  CHECK(count("-label:finance") == 4);
  CHECK(count("NOT label:finance") == 4);
  CHECK(count("-label:finance -label:pets") == 2);
  CHECK(count("-cat -budget") == 2);
  CHECK(count("-(cat OR budget)") == 2);
  CHECK(count("-\"interest rates\"") == 5);
  CHECK(count("(-cat) AND (-budget)") == 2);
  CHECK(count("cat OR -label:finance") == 4);
  CHECK(count("cat AND -label:pets") == 1);
  CHECK(count("-title:x") == 7);
  CHECK(count("-nosuchword") == 7);
  CHECK(count("- cat") == 3);
  CHECK(count("--cat") == 3);
}

TEST_CASE("wildcards are folded, and stand for words of the index") {
  const Texts texts({"Größe node.js file_name.txt", "groß 東京都 naïve", "moon"},
                    in_language("de"));
  CHECK(texts.found("Größ*") == "a");
  CHECK(texts.found("GRO*") == "b");
  CHECK(texts.found("node.*") == "");
  CHECK(texts.found("node.j*") == "a");
  CHECK(texts.found("file_*") == "a");
  CHECK(texts.found("moo* OR 東京*") == "bc");
  CHECK(texts.found("na\u00EFv* -x*") == "b");
}

TEST_CASE("a query of a search box may end in the beginning of a word") {
  const Texts texts({"guitars", "guide", "moon"});
  const auto found = [&](const char* text) {
    return texts.engine()
        .parse(text, {.partial = true, .most_frequent = 100})
        .query.get_description();
  };
  CHECK(found("gui").find("WILDCARD SYNONYM gui") != std::string::npos);
  CHECK(found("moon Gui").find("WILDCARD SYNONYM gui") != std::string::npos);
  CHECK(found("gui ").find("WILDCARD") == std::string::npos);
  CHECK(found("\"gui\"").find("WILDCARD") == std::string::npos);
}

namespace {

/// Random queries that Xapian's parser and ours are to understand alike.
class RandomQueries {
 public:
  explicit RandomQueries(unsigned seed) : random_(seed) {}

  std::string query(int depth = 3) {
    std::string text = sequence(depth);
    for (int more = pick(3); more > 0; --more) {
      text += one_of({" AND ", " OR ", " NOT ", " XOR ", " AND NOT ", " AND -"});
      text += text.ends_with('-') ? part(depth - 1) : sequence(depth);
    }
    return text;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string one_of(const std::vector<std::string>& list) {
    return list[static_cast<std::size_t>(pick(static_cast<int>(list.size())))];
  }
  std::string word() {
    return one_of({"cat", "cats", "sleeping", "sleeps", "tax", "budget", "rates", "dog", "barks",
                   "interest", "house", "income", "zebra"});
  }

  /// Not a value of a field, which Xapian takes for an alternative of its neighbors.
  std::string part(int depth) {
    switch (pick(depth > 0 ? 7 : 5)) {
      case 0:
        return '"' + word() + ' ' + word() + '"';
      case 1:
        return one_of({"interest-rates", "cat/purrs", "the/cat", "sleeping/cat"});
      case 2:
        return one_of({"ca*", "sle*", "ra*", "zz*"});
      case 3:
        return word() + one_of({" NEAR ", " ADJ ", " NEAR/3 ", " ADJ/2 "}) + word();
      case 4:
        return word();
      default:
        return '(' + query(depth - 1) + ')';
    }
  }

  std::string sequence(int depth) {
    std::string text = pick(4) == 0 ? word() + ' ' + word() : part(depth);
    for (int more = pick(3); more > 0; --more) {
      text += ' ';
      text += one_of({"", "", "+", "-"}) + one_of({part(depth - 1), word(), "label:pets"});
    }
    if (pick(5) == 0) text += " label:animals label:finance";
    return text;
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("operators mean what they mean to Xapian's parser") {
  const test::Collection collection;
  const Engine engine(collection.path, {});
  const Xapian::Database database(collection.path);
  using Parser = Xapian::QueryParser;
  Parser parser;
  parser.set_database(database);
  parser.set_default_op(Xapian::Query::OP_AND);
  parser.set_stemmer(Xapian::Stem("en"));
  parser.set_stemming_strategy(Parser::STEM_SOME);
  parser.add_boolean_prefix("label", "K");
  std::set<std::size_t> counts;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const std::string text = RandomQueries(seed).query();
    CAPTURE(seed, text);
    const Xapian::Query query = parser.parse_query(
        text, Parser::FLAG_DEFAULT | Parser::FLAG_WILDCARD | Parser::FLAG_PURE_NOT);
    // What its grammar lacks, such as a word before "cat NEAR dog", is a list of words to it.
    if (query.get_description() == parser.parse_query(text, 0).get_description()) continue;
    Xapian::Enquire enquire(database);
    enquire.set_query(query);
    enquire.set_docid_order(Xapian::Enquire::ASCENDING);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    std::vector<Xapian::docid> expected;
    const Xapian::MSet matches = enquire.get_mset(0, 100);
    for (auto it = matches.begin(); it != matches.end(); ++it) expected.push_back(*it);
    CHECK(engine.matching(text) == expected);
    counts.insert(expected.size());
  }
  CHECK(counts.size() == 6);
}
