// An index that a program made with Xapian::TermGenerator: texts have the terms there that it made.
#include "plugin/input/analyzer_pool.h"

#include <xapian.h>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/related_to.h"

using namespace kindred;
using Xapian::TermGenerator;

namespace {

const std::vector<std::string> kTexts = {
    "We use node.js and example.com daily; mail John.Doe@example.org about file_name.txt",
    "The Ph.D. of U.S.A. and AT&T, O'Brien’s boat: C++ and C#, fish+chips, 1,000.50 or 3:30 2nds",
    "Straße nach GRÖSSE, Haus und Häuser, Café cafe\u0301 naïve ÉMILE İstanbul Işık Οδυσσεύς",
    "chats\u202F! co\u00ADoperate zero\u200Bwidth foo\u2060bar l\u201Bavion",
    "東京都に住む。 我们在北京大学学习 한국어를 배웁니다 第１章",
    "العَرَبِيَّة १२३ ภาษาไทย " + std::string(100, 'x'),
};

Xapian::Document document_of(const std::string& text, TermGenerator::stem_strategy strategy,
                             bool ngrams) {
  TermGenerator generator;
  generator.set_stemmer(Xapian::Stem("en"));
  generator.set_stemming_strategy(strategy);
  if (ngrams) generator.set_flags(TermGenerator::FLAG_CJK_NGRAM);
  generator.index_text(text);
  return generator.get_document();
}

/// The terms of a document, as in a bag: without the prefix, or all that have none.
std::string terms_of(const Xapian::Document& document, bool stems) {
  std::string list;
  for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it) {
    const std::string term = *it;
    if (term.starts_with('Z') == stems)
      list += term.substr(stems ? 1 : 0) + "=" + std::to_string(it.get_wdf()) + " ";
  }
  return list;
}

std::string listed(const TermBag& bag) {
  std::string list;
  for (const TermCount& entry : bag) list += entry.term + "=" + std::to_string(entry.count) + " ";
  return list;
}

/// An index of the texts and of some others, whose documents have the term `mark` and the data.
Xapian::Database index_of(TermGenerator::stem_strategy strategy, bool ngrams,
                          const std::string& mark, const std::string& data) {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  std::vector<std::string> texts = kTexts;
  for (const char* other : {"something else because of others", "the very different one", "more"})
    texts.emplace_back(other);
  for (const std::string& text : texts) {
    Xapian::Document document = document_of(text, strategy, ngrams);
    if (!mark.empty()) document.add_boolean_term(mark + std::to_string(database.get_lastdocid()));
    document.set_data(data);
    database.add_document(document);
  }
  return database;
}

}  // namespace

TEST_CASE("a text has the terms that TermGenerator makes, as often") {
  for (const bool ngrams : {false, true}) {
    for (const bool all : {false, true}) {
      const auto strategy = all ? TermGenerator::STEM_ALL : TermGenerator::STEM_SOME;
      Analyzer analyzer({}, "en", LanguageSource::kGiven, term_generator_words("en", ngrams, all));
      for (const std::string& text : kTexts) {
        CAPTURE(ngrams, all, text);
        const Xapian::Document document = document_of(text, strategy, ngrams);
        CHECK(listed(analyzer.analyze(text)) == terms_of(document, !all));
        if (!all) CHECK(listed(analyzer.words(text)) == terms_of(document, false));
      }
    }
  }
}

TEST_CASE("a text is folded whole, as mu and libzim fold it, before it is cut") {
  const auto words = [](TextFolding folding) {
    std::vector<Token> tokens;
    term_generator_words("none", false, false, folding)->cut("Cafe\u0301s ÆRØ İ ﬁne हिन्दी", tokens);
    std::string list;
    for (const Token& token : tokens) list += token.word + " ";
    return list;
  };
  CHECK(words(TextFolding::kNone) == "cafe\u0301s ærø i ﬁne हिन्दी ");
  CHECK(words(TextFolding::kMu) == "cafes ero i fine हिनदी ");
  CHECK(words(TextFolding::kZim) == "cafes ærø i ﬁne हनद ");
}

TEST_CASE("words have the places that TermGenerator gives them, and pairs that of the first") {
  Analyzer analyzer({}, "en", LanguageSource::kGiven, term_generator_words("en", true, false));
  std::string places;
  for (const Token& token : analyzer.tokens("U.S.A. 東京都 a ab"))
    places += token.word + "@" + std::to_string(token.position) + " ";
  CHECK(places == "usa@1 東@2 東京@2 京@3 京都@3 都@4 a@5 ab@6 ");
}

TEST_CASE("the same text is as similar as can be to a document of another program") {
  struct Program {
    const char *mark, *data;
    TermGenerator::stem_strategy strategy;
    bool ngrams;
  };
  for (const auto& [mark, data, strategy, ngrams] :
       {Program{"U/", "url=/x\nsample=x", TermGenerator::STEM_SOME, false},
        Program{"U/", "url=/x\nsample=x", TermGenerator::STEM_SOME, true},
        Program{"", "", TermGenerator::STEM_SOME, false},
        Program{"", "", TermGenerator::STEM_SOME, true}}) {
    CAPTURE(mark, strategy, ngrams);
    const Engine engine(index_of(strategy, ngrams, mark, data), {});
    CHECK(engine.settings().index.term_generator);
    for (std::size_t i = 0; i < kTexts.size(); ++i) {
      CAPTURE(kTexts[i]);
      Record record;
      record.text = kTexts[i];
      const auto results = test::related_to(engine, record);
      REQUIRE_FALSE(results.empty());
      CHECK(results[0].docid == i + 1);
      CHECK(results[0].similarity > 0.9999);
    }
  }
}

TEST_CASE("filters find the words of an index of another program") {
  for (const bool ngrams : {false, true}) {
    const Engine engine(index_of(TermGenerator::STEM_SOME, ngrams, "", ""), {});
    CAPTURE(ngrams);
    const auto finds = [&](const std::string& query, Xapian::docid docid) {
      CAPTURE(query);
      CHECK(engine.matching(query) == std::vector<Xapian::docid>{docid});
    };
    for (const char* query : {"node.js", "\"node js\"", "Example.COM", "John.Doe@example.org",
                              "file_name.txt", "node", "mail NEAR john"})
      finds(query, 1);
    for (const char* query :
         {"U.S.A.", "usa", "AT&T", "O'Brien’s", "C++", "fish", "1,000.50", "boats", "Boat", "2nds"})
      finds(query, 2);
    for (const char* query : {"Straße", "grösse", "HAUS", "Café", "İstanbul", "οδυσσεύς"})
      finds(query, 3);
    finds("我们在北京大学学习", 5);
    finds("한국어를", 5);
    if (ngrams) finds("東京", 5);
    if (ngrams) finds("北京大学 -moon", 5);
  }
}

TEST_CASE("settings say how an index is cut into words, if they do") {
  Settings settings;
  settings.given = {"index.term_generator"};
  const auto index = index_of(TermGenerator::STEM_SOME, true, "", "");
  CHECK_FALSE(Engine(index, settings).settings().index.term_generator);
  CHECK(Engine(index, {}).settings().analyzer.cjk == "bigrams");
  settings.given = {"analyzer.cjk"};
  CHECK(Engine(index, settings).settings().analyzer.cjk == "words");
}
