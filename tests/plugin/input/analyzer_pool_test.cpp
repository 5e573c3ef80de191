// Which analyzer a document or a query gets.
#include "plugin/input/analyzer_pool.h"

#include "config/error.h"
#include "plugin/documents/features.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

const std::string kGermanText =
    "Die Forscher haben in den letzten Jahren viele neue Arten in den Wäldern gefunden.";

Settings detecting() {
  Settings settings;
  settings.analyzer.detect = "document";
  return settings;
}

bool finds_no_language() {
  if (LanguageDetector::available()) return false;
  CHECK_THROWS_AS(AnalyzerPool(detecting().analyzer), Error);
  return true;
}

std::string language_terms(const Record& record, const Settings& settings, AnalyzerPool& pool) {
  TermBag features;
  const Xapian::Document document =
      make_document(record, settings, *pool.lease_for(record), features);
  std::string terms;
  for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it)
    if ((*it)[0] == 'L') terms += *it + " ";
  return terms;
}

Record record_of(const std::string& text, const std::string& language = "") {
  Record record;
  record.id = "1";
  record.text = text;
  record.language = language;
  return record;
}

}  // namespace

TEST_CASE("a document that names no language is recorded under the one that is found") {
  if (finds_no_language()) return;
  const Settings settings = detecting();
  AnalyzerPool pool(settings.analyzer);
  CHECK(language_terms(record_of(kGermanText), settings, pool) == "Lde ");
  CHECK(pool.lease_for(record_of(kGermanText))->language() == "de");
  CHECK(pool.detect(kGermanText).confidence > 0.9);
}

TEST_CASE("the language that a document names wins over the one that is found") {
  if (finds_no_language()) return;
  const Settings settings = detecting();
  AnalyzerPool pool(settings.analyzer);
  CHECK(language_terms(record_of(kGermanText, "fr"), settings, pool) == "Lfr ");
  CHECK(pool.lease_for(record_of(kGermanText, "fr"))->source() == LanguageSource::kGiven);
}

TEST_CASE("a document whose language cannot be told is of the default, and says nothing") {
  if (finds_no_language()) return;
  Settings settings = detecting();
  settings.analyzer.language = "es";
  AnalyzerPool pool(settings.analyzer);
  CHECK(language_terms(record_of("12 345"), settings, pool).empty());
  CHECK(pool.lease_for(record_of("12 345"))->language() == "es");
}

TEST_CASE("without the setting nothing is found") {
  const Settings settings;
  AnalyzerPool pool(settings.analyzer);
  CHECK(language_terms(record_of(kGermanText), settings, pool).empty());
  CHECK(pool.detect(kGermanText).language.empty());
}

TEST_CASE("queries are in the languages that the index has, or in the default") {
  if (finds_no_language()) return;
  AnalyzerPool pool(detecting().analyzer);
  CHECK(pool.lease_for_query(kGermanText)->language() == "de");
  pool.expect_languages({"fr", "ru", "no code"});
  CHECK(pool.lease_for_query(kGermanText)->language() != "de");
  CHECK(pool.lease_for_query("дом")->language() == "ru");
}
