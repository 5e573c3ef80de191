// The language of texts and of their parts.
#include "analyzer/text/detect.h"

#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "config/error.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

const std::string kGerman =
    "Die Forscher haben in den letzten Jahren viele neue Arten in den Wäldern gefunden und "
    "beschrieben, wie sie leben.";
const std::string kFrench =
    "Les chercheurs ont trouvé ces dernières années beaucoup de nouvelles espèces dans les forêts "
    "et décrit leur vie.";
const std::string kEnglish =
    "In recent years the researchers have found many new species in the forests, and described "
    "how they live.";

bool finds_languages() {
  if (!LanguageDetector::available()) WARN("skipped: this build finds no languages");
  return LanguageDetector::available();
}

std::string terms(Analyzer& analyzer, const std::string& text) {
  std::string joined;
  for (const Token& token : analyzer.tokens(text))
    if (!token.term.empty()) joined += (joined.empty() ? "" : " ") + token.term;
  return joined;
}

std::string terms_in(const char* language, const std::string& text) {
  Analyzer analyzer(AnalyzerSettings{}, language);
  return terms(analyzer, text);
}

}  // namespace

TEST_CASE("a build without a detector says so") {
  if (LanguageDetector::available()) return;
  try {
    LanguageDetector detector;
    FAIL("made");
  } catch (const Error& e) {
    CHECK(e.code() == Errc::kUnsupported);
    CHECK(std::string(e.what()).find("KINDRED_CLD2") != std::string::npos);
  }
}

TEST_CASE("the language of a text is found, with how certain that is") {
  if (!finds_languages()) return;
  const LanguageDetector detector;
  const std::pair<std::string, const char*> texts[] = {
      {kGerman, "de"},
      {kFrench, "fr"},
      {kEnglish, "en"},
      {"Исследователи нашли в лесах много новых видов.", "ru"},
      {"研究人员在森林中发现了许多新物种。", "zh"},
      {"研究者たちは森で多くの新しい種を発見しました。", "ja"},
      {"החוקרים מצאו ביערות מינים חדשים רבים.", "he"}};
  for (const auto& [text, language] : texts) {
    CAPTURE(text);
    const Detection found = detector.detect(text);
    CHECK(found.language == language);
    CHECK(found.confidence > 0.5);
    CHECK(found.confidence <= 1);
  }
}

TEST_CASE("there is no telling the language of numbers, of nothing, and of damaged bytes") {
  if (!finds_languages()) return;
  const LanguageDetector detector;
  for (const std::string text : {"", "12 345", "\xFF\xFE\x80", "-- !"}) {
    CHECK(detector.detect(text).language.empty());
    CHECK(detector.detect(text).confidence == 0);
  }
  CHECK(detector.detect(kGerman + "\xFF").language == "de");
}

TEST_CASE("only the languages that are named are found") {
  if (!finds_languages()) return;
  const LanguageDetector detector(std::vector<std::string>{"fr", "el", "nb"});
  CHECK(detector.detect(kFrench).language == "fr");
  CHECK(detector.detect(kGerman).language != "de");
  CHECK(detector.detect("λόγος").language == "el");
  CHECK(detector.detect("Forskerne fant mange nye arter i skogene, og beskrev hvordan de lever.")
            .language == "no");
}

TEST_CASE("a word in a script of one of the languages is in that one") {
  if (!finds_languages()) return;
  const LanguageDetector detector(std::vector<std::string>{"fr", "ru"});
  CHECK(detector.detect("дом").language == "ru");
}

TEST_CASE("the parts of a text are the text, by language") {
  if (!finds_languages()) return;
  const LanguageDetector detector;
  const std::string text = kGerman + "\n\n" + kFrench + "\n" + kFrench + "\n\nOK\n\n" + kGerman;
  std::string joined;
  std::vector<std::string> languages;
  for (const LanguagePart& part : language_parts(text, "de", detector)) {
    joined += part.text;
    languages.push_back(part.language);
  }
  CHECK(joined == text);
  CHECK(languages == std::vector<std::string>{"de", "fr", "de"});
  CHECK(language_parts("", "de", detector).empty());
  CHECK(language_parts("\n\n", "de", detector).size() == 1);
}

TEST_CASE("paragraphs in other languages are analyzed as those, unless the language was given") {
  if (!finds_languages()) return;
  AnalyzerSettings settings;
  settings.detect = "paragraphs";
  const std::string text = kGerman + "\n\n" + kFrench;
  Analyzer detected(settings, "de", LanguageSource::kDetected);
  CHECK(terms(detected, text) == terms_in("de", kGerman) + " " + terms_in("fr", kFrench));
  const auto last = detected.tokens(text).back().position;
  CHECK(last == detected.tokens(text).size());
  CHECK(detected.trace(text).size() == detected.tokens(text).size());

  TermBag bag = detected.analyze(text + "\n\n" + text);
  for (const TermCount& entry : bag) CHECK(entry.count % 2 == 0);
  CHECK(bag.size() == detected.analyze(text).size());

  Analyzer given(settings, "de");
  CHECK(terms(given, text) == terms_in("de", text));
}
