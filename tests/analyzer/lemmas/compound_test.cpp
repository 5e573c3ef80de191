// Compounds: their parts are features beside the whole word, by the words of a dictionary or list.
#include "analyzer/analysis_record.h"
#include "analyzer/analyzer.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::says;
using test::TemporaryDirectory;

namespace {

/// Settings whose compounds of a language are split by a list of words.
struct ListedWords {
  TemporaryDirectory folder;
  AnalyzerSettings settings;

  ListedWords(const std::string& language, const std::string& words) {
    settings.language = language;
    settings.compounds = {language + "=" + write("words.txt", words)};
  }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return folder / name;
  }
};

/// "term: part part" of every token, with a comma between.
std::string with_parts(const AnalyzerSettings& settings, std::string_view text) {
  Analyzer analyzer(settings);
  std::string result;
  for (const Token& token : analyzer.tokens(text)) {
    result += (result.empty() ? "" : ", ") + token.term;
    for (const std::string& part : token.parts)
      result += (&part == &token.parts.front() ? ": " : " ") + part;
  }
  return result;
}

Error refusal_of(const AnalyzerSettings& settings) {
  return test::error_of([&] { Analyzer{settings}; });
}

}  // namespace

TEST_CASE("a compound keeps its term, and its parts are features with the terms of words") {
  const ListedWords german("de", "Haus\nTür\nBücher\nKind\n");
  CHECK(with_parts(german.settings, "Haustür Kinderbücher Haus Mauer") ==
        "haustur: haus tur, kinderbuch: kind buch, haus, mau");
  Analyzer analyzer(german.settings);
  const TermBag bag = analyzer.analyze("Die Haustür und das Haus");
  const std::vector<std::string> terms = {"haus", "haustur", "tur"};
  REQUIRE(bag.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(bag[i].term == terms[i]);
  CHECK(bag[0].count == 2);
  CHECK(analyzer.words("Haustür").size() == 1);
}

TEST_CASE("linking elements of the language may stand between two parts") {
  const std::array<std::array<const char*, 4>, 6> cases = {{
      {"de", "Arbeit\nVertrag\n", "Arbeitsvertrag", "arbeitsvertrag: arbeit vertrag"},
      {"nl", "zieken\nhuis\nwagen\n", "ziekenhuiswagen", "ziekenhuiswag: ziek huis wag"},
      {"sv", "fotboll\nmatch\n", "fotbollsmatch", "fotbollsmatch: fotboll match"},
      {"da", "land\nmand\n", "landsmand", "landsmand: land mand"},
      {"no", "barn\nhage\n", "barnehage", "barnehag: barn hag"},
      {"en", "foot\nball\n", "football footsball", "footbal: foot ball, footsbal"},
  }};
  for (const auto& [language, words, text, parts] : cases)
    CHECK(with_parts(ListedWords(language, words).settings, text) == parts);
}

TEST_CASE("the fewest parts are taken, and of those the longest last part") {
  CHECK(with_parts(ListedWords("en", "news\npaper\nnewspaper\nstand\n").settings,
                   "newspaperstand") == "newspaperstand: newspap stand");
  CHECK(with_parts(ListedWords("en", "bank\nbanks\nsaving\nave\nsave\n").settings, "banksave") ==
        "banksav: bank save");
}

TEST_CASE("an inflected part is known by its stem, and an ending of words is no part") {
  CHECK(with_parts(ListedWords("de", "Schule\nHaus\n").settings, "Schulhäusern") ==
        "schulhaus: schul haus");
  CHECK(with_parts(ListedWords("de", "Freund\nSchaft\n").settings, "Freundschaft") ==
        "freundschaft");
}

TEST_CASE("overridden words stay whole, and stop words are no features as parts") {
  ListedWords german("de", "Haus\nTür\nohne\n");
  CHECK(with_parts(german.settings, "Ohnehaus") == "ohnehaus: haus");
  german.settings.stem_overrides = german.write("whole.txt", "haustür\n");
  CHECK(with_parts(german.settings, "Haustür") == "haustür");
}

TEST_CASE("spellings of one word are split alike") {
  CHECK(with_parts(ListedWords("de", "Haus\nTür\n").settings, "Haustuer HAUSTÜR") ==
        "haustur: haus tur, haustur: haus tur");
}

TEST_CASE("a Hunspell dictionary gives the words, and needs no Hunspell") {
  ListedWords german("de", "");
  german.write("de_DE.aff", "SET ISO8859-1\nFLAG num\nFORBIDDENWORD 7\nNEEDAFFIX 8\n");
  german.write("de_DE.dic", "6\nHaus/1,2\nT\xFCr po:noun\nMaus/3,7\nFall/8\nUSA\nEis\\/Tee/1\n");
  german.settings.compounds = {"de=hunspell:" + german.folder / "de_DE"};
  CHECK(with_parts(german.settings, "Haustür Mausfall Mausetür Usahaus") ==
        "haustur: haus tur, mausfall, mausetur, usahaus");
}

TEST_CASE("a dictionary of compounds that is not there is an error that names the package") {
  AnalyzerSettings settings;
  settings.language = "eo";
  settings.compounds = {"eo=hunspell"};
  const Error error = refusal_of(settings);
  CHECK(error.code() == Errc::kNotFound);
  CHECK(says(error.what(), {"analyzer.compounds", "\"eo\"", "package myspell-eo"}));
  settings.compounds = {"eo=/nowhere/words.txt"};
  CHECK(says(refusal_of(settings).what(), {"/nowhere/words.txt"}));
}

TEST_CASE("the record of an analysis changes with the words of compounds") {
  const ListedWords german("de", "Haus\n");
  Settings settings;
  settings.analyzer = german.settings;
  const AnalysisRecord before = analysis_record(settings);
  CHECK(before.rules.at("analyzer.compounds").starts_with("de=file "));
  german.write("words.txt", "Haus\nTür\n");
  CHECK(analysis_record(settings).rules != before.rules);
  settings.analyzer.compounds.clear();
  CHECK(analysis_record(settings).rules.at("analyzer.compounds") == "");
}

TEST_CASE("words of a megabyte are not split, and take no time to speak of") {
  ListedWords german("de", "a\naa\naaa\naaaa\naaaaaaaa\n");
  std::erase(german.settings.filters, "length");
  Analyzer analyzer(german.settings);
  const auto& tokens = analyzer.tokens(std::string(1 << 20, 'a') + " " + std::string(60, 'a'));
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[0].parts.empty());
  CHECK(tokens[1].parts.size() == 8);
}

TEST_CASE("the trace of a compound shows its parts") {
  Analyzer analyzer(ListedWords("de", "Haus\nTür\n").settings);
  const std::vector<TokenTrace> traces = analyzer.trace("Haustür");
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].parts == std::vector<std::string>{"haus", "tur"});
  REQUIRE(traces[0].steps.size() == 3);
  CHECK(traces[0].steps[1].step == "decompound");
  CHECK(traces[0].steps[1].result == "haus+tür");
}
