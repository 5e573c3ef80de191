// Features of several words, through analyzer/analyzer.h.
#include "analyzer/analyzer.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

AnalyzerSettings with_pairs() {
  AnalyzerSettings settings;
  settings.ngrams = 2;
  return settings;
}

/// All joined terms in the order of the text, with a bar between two.
std::string joined(const AnalyzerSettings& settings, std::string_view text) {
  Analyzer analyzer(settings);
  std::string all;
  for (const Token& token : analyzer.tokens(text))
    for (const std::string& term : token.joined) all += (all.empty() ? "" : "|") + term;
  return all;
}

}  // namespace

TEST_CASE("without being asked, no words are joined") {
  CHECK(joined(AnalyzerSettings{}, "not good") == "");
}

TEST_CASE("pairs are neighbors of which one is a feature") {
  CHECK(joined(with_pairs(), "The film is not good") == "the film|film is|not good");
  CHECK(joined(with_pairs(), "running dogs, running cats") == "run dog|dog run|run cat");
  CHECK(joined(with_pairs(), "of the and") == "");
  CHECK(joined(with_pairs(), "alone") == "");
  CHECK(joined(with_pairs(), "") == "");
}

TEST_CASE("a word that is not indexed at all parts its neighbors") {
  CHECK(joined(with_pairs(), "black " + std::string(65, 'x') + " cats") == "");
}

TEST_CASE("pairs count in the bag, beside the words") {
  Analyzer analyzer(with_pairs());
  CHECK(analyzer.analyze("Dogs bark. Dogs bark loudly") == TermBag{{"bark", 2},
                                                                   {"bark dog", 1},
                                                                   {"bark loud", 1},
                                                                   {"dog", 2},
                                                                   {"dog bark", 2},
                                                                   {"loud", 1}});
  CHECK(analyzer.words("Dogs bark") == TermBag{{"bark", 1}, {"dogs", 1}});
}

TEST_CASE("pairs do not depend on the text before") {
  Analyzer analyzer(with_pairs());
  analyzer.analyze("cats");
  CHECK(analyzer.analyze("dogs") == TermBag{{"dog", 1}});
  CHECK(analyzer.trace("dogs bark").at(1).joined == std::vector<std::string>{"dog bark"});
}

TEST_CASE("a number and its unit are one term, whatever space is between them") {
  AnalyzerSettings settings;
  settings.units = true;
  CHECK(joined(settings, "5 km, 5km, 10\u202FGB and 3.5-kg; 20\u00A0μm") == "5km|10gb|3.5kg|20μm");
  CHECK(joined(settings, "5 dogs, km 5, 5. km, 5 (km)") == "");
}

TEST_CASE("bigrams that overlap are pairs, too") {
  AnalyzerSettings settings = with_pairs();
  settings.cjk = "bigrams";
  CHECK(joined(settings, "東京都") == "東京 京都");
}
