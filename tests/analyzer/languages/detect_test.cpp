// The language of texts and of their parts.
#include "analyzer/text/detect.h"

#include "analyzer/analyzer.h"
#include "analyzer/text/detect.h"
#include "tests/fixtures/error_code.h"

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

}  // namespace

TEST_CASE("a build without a detector says so") {
  if (LanguageDetector::available()) return;
  CHECK(test::code_of([] { LanguageDetector{}; }, "KINDRED_CLD2") == Errc::kUnsupported);
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
