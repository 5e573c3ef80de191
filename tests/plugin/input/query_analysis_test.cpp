// A stock Xapian::QueryParser with our adapters finds what our analyzer indexed.
#include "plugin/input/query_analysis.h"

#include <xapian.h>
#include <string>
#include <vector>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;

namespace {

/// A query as the parser understands it, without Xapian's decoration.
std::string parsed(const std::string& text, const std::string& language = "en",
                   const AnalyzerSettings& settings = {}) {
  Analyzer analyzer(settings, language);
  const AnalyzerStopper stopper(analyzer);
  Xapian::QueryParser parser;
  parser.set_stemmer(Xapian::Stem(new AnalyzerStem(analyzer)));
  parser.set_stopper(&stopper);
  parser.set_stemming_strategy(Xapian::QueryParser::STEM_SOME);
  return parser.parse_query(text).get_description();
}

}  // namespace

TEST_CASE("the query parser stems as the index was stemmed") {
  CHECK(parsed("running cats") == "Query((Zrun@1 OR Zcat@2))");
  CHECK(parsed("perros", "es") == "Query(Zperr@1)");
  CHECK(parsed("b\xc3\xa4ume", "de") == "Query(Zbaum@1)");
  CHECK(parsed("r\xc3\xa9sum\xc3\xa9", "none") == "Query(Zr\xc3\xa9sum\xc3\xa9@1)");
  AnalyzerSettings folding;
  folding.fold_accents = true;
  CHECK(parsed("r\xc3\xa9sum\xc3\xa9", "none", folding) == "Query(Zresume@1)");
}

TEST_CASE("the query parser drops the stop words of the index") {
  CHECK(parsed("the cat of the house") == "Query((Zcat@2 OR Zhous@5))");
  CHECK(parsed("el gato", "es") == "Query(Zgat@2)");
  AnalyzerSettings keeping;
  keeping.stop_words = "none";
  CHECK(parsed("the cat", "en", keeping) == "Query((Zthe@1 OR Zcat@2))");
}

TEST_CASE("a word that the filters drop stays searchable") {
  AnalyzerSettings no_numbers;
  no_numbers.numbers = false;
  CHECK(parsed("1984", "en", no_numbers) == "Query(1984@1)");
}

TEST_CASE("what was ingested is found by the stock parser, stemmed and as a phrase") {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", test::small_collection());
  const Xapian::Database database(directory / "db");
  Analyzer analyzer({}, "en");
  Xapian::QueryParser parser;
  parser.set_database(database);
  parser.set_stemmer(Xapian::Stem(new AnalyzerStem(analyzer)));
  parser.set_stemming_strategy(Xapian::QueryParser::STEM_SOME);
  Xapian::Enquire enquire(database);
  const auto matches = [&](const std::string& text) {
    enquire.set_query(parser.parse_query(text));
    return enquire.get_mset(0, 10).size();
  };
  CHECK(matches("sleeping") == 2);            // sleeps, sleeping
  CHECK(matches("\"interest rates\"") == 2);  // tax2, bank1
  CHECK(matches("\"rates interest\"") == 0);
}

TEST_CASE("the adapters say what they are") {
  Analyzer analyzer({}, "pt");
  CHECK(AnalyzerStem(analyzer).get_description() == "kindred(pt)");
  CHECK(AnalyzerStopper(analyzer).get_description() == "kindred stop words (pt)");
}
