// Names of languages, stemmers, and the words of languages that write without spaces.
#include "analyzer/analyzer.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;

namespace {

std::string language_of(std::string_view name) {
  return Analyzer(AnalyzerSettings{}, name).language();
}

std::string terms(std::string_view language, std::string_view text, bool fold_accents = false) {
  AnalyzerSettings settings;
  settings.fold_accents = fold_accents;
  settings.stop_words = "none";
  Analyzer analyzer(settings, language);
  std::string joined;
  for (const Token& t : analyzer.tokens(text)) joined += (joined.empty() ? "" : " ") + t.term;
  return joined;
}

}  // namespace

TEST_CASE("a language may be named by any of its codes or by its English name") {
  for (const char* name :
       {"pt", "PT", "por", "pt_BR", "pt-BR", "por_Latn", "pt_BR.UTF-8", "portuguese", "Portuguese"})
    CHECK(language_of(name) == "pt");
  const std::pair<const char*, const char*> names[] = {
      {"eng", "en"},      {"eng_Latn", "en"}, {"porter", "en"},   {"zh-Hans", "zh"},
      {"zho_Hant", "zh"}, {"cmn", "zh"},      {"chi", "zh"},      {"ger", "de"},
      {"deu", "de"},      {"fre", "fr"},      {"arb_Arab", "ar"}, {"npi", "ne"},
      {"nob", "nb"},      {"nn_NO", "nn"},    {"no", "no"},       {"none", "none"},
      {"jpn_Jpan", "ja"}, {"th", "th"},       {"xx", "xx"},       {"qqq", "qqq"}};
  for (const auto& [name, code] : names) {
    CAPTURE(name);
    CHECK(language_of(name) == code);
  }
}

TEST_CASE("without a name the language is that of the settings") {
  AnalyzerSettings settings;
  settings.language = "es_MX";
  CHECK(Analyzer(settings).language() == "es");
  CHECK(Analyzer(settings, "fr").language() == "fr");
}

TEST_CASE("a name that is neither a code nor known is refused") {
  for (const char* name : {"portugese", "e", "english language", "12", "-", "日本"}) {
    const std::string message = test::message_of([&] { Analyzer(AnalyzerSettings{}, name); });
    CHECK(message.find("language \"" + std::string(name) + "\": expected an ISO 639 code") == 0);
  }
}

TEST_CASE("every language of libstemmer 2 stems") {
  const std::pair<const char*, std::pair<const char*, const char*>> stems[] = {
      {"da", {"undersøgelserne", "undersøg"}},
      {"de", {"aufeinanderfolgende", "aufeinanderfolg"}},
      {"en", {"generalizations", "general"}},
      {"es", {"rápidamente", "rapid"}},
      {"fi", {"edeltäjistään", "edeltäj"}},
      {"fr", {"continuellement", "continuel"}},
      {"hu", {"embereknek", "ember"}},
      {"it", {"pronunciamento", "pronunc"}},
      {"nl", {"lichamelijkheden", "licham"}},
      {"nb", {"havnedistriktene", "havnedistrikt"}},
      {"nn", {"havnedistriktene", "havnedistrikt"}},
      {"pt", {"quietamente", "quiet"}},
      {"ru", {"важнейшими", "важн"}},
      {"sv", {"klostergården", "klostergård"}},
      {"porter", {"generalizations", "gener"}},
  };
  for (const auto& [language, pair] : stems) {
    CAPTURE(language);
    CHECK(terms(language, pair.first) == pair.second);
  }
  const std::pair<const char*, const char*> changed[] = {
      {"ar", "المكتبات"},      {"ca", "biblioteques"}, {"el", "βιβλιοθήκες"},
      {"eu", "liburutegiak"},  {"ga", "bhfuinneoga"},  {"hi", "किताबें"},
      {"hy", "գրադարաններ"},   {"id", "bukunya"},      {"lt", "bibliotekos"},
      {"ro", "bibliotecilor"}, {"sr", "библиотекама"}, {"ta", "நூலகங்கள்"},
      {"tr", "kütüphaneler"}};
  for (const auto& [language, word] : changed) {
    CAPTURE(language);
    CHECK(terms(language, word) != terms("none", word));
  }
}

TEST_CASE("a language without a stemmer is segmented and folded but not stemmed") {
  CHECK(terms("none", "The RUNNING Dogs") == "the running dogs");
  CHECK(terms("xx", "The RUNNING Dogs") == "the running dogs");
}

TEST_CASE("Chinese, Japanese and Thai are cut by dictionary, under any language") {
  for (const char* language : {"zh", "ja", "th", "en"}) {
    CHECK(terms(language, "我喜欢机器学习。") == "我 喜欢 机器 学习");
    CHECK(terms(language, "大学のデータベース") == "大学 の データベース");
    CHECK(terms(language, "ภาษาไทยง่าย") == "ภาษา ไทย ง่าย");
  }
}

TEST_CASE("scripts and spaces may mix in one text") {
  CHECK(terms("en", "Running 東京 runs，Берлин’ы ภาษาไทย cafés") ==
        "run 東京 run берлин'ы ภาษา ไทย café");
}

TEST_CASE("Turkish pairs its own letters i") {
  CHECK(terms("none", "İstanbul ISPARTA") == "i̇stanbul isparta");
  AnalyzerSettings settings;
  settings.filters = {};
  Analyzer turkish(settings, "tr");
  CHECK(turkish.words("İSTANBUL I\xCC\x87stanbul ISPARTA") ==
        TermBag{{"istanbul", 2}, {"ısparta", 1}});
}
