// What grammar says of words, for each language: tests/analyzer/expectations/<language>.tsv.
//
//   same   A B ...  these forms of one word share their term
//   differ A B ...  no two of these share a term
//   words  TEXT W   the words of a text, with spaces between them
//
// With "!" before it, a line is known to fail: what the grammar wants, and the analyzer does not
// do.
#include "analyzer/analyzer.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

struct Expectation {
  std::string relation;
  std::vector<std::string> forms;
  bool fails = false;
  std::size_t line = 0;
};

std::vector<Expectation> expectations_of(const std::filesystem::path& file) {
  std::vector<Expectation> list;
  std::ifstream in(file);
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.empty() || text[0] == '#') continue;
    Expectation expected;
    expected.line = number;
    std::istringstream fields(text);
    std::getline(fields, expected.relation, '\t');
    expected.fails = expected.relation[0] == '!';
    if (expected.fails) expected.relation.erase(0, 1);
    for (std::string form; std::getline(fields, form, '\t');) expected.forms.push_back(form);
    list.push_back(expected);
  }
  return list;
}

std::string joined(const std::vector<Token>& tokens, std::string Token::*field) {
  std::string text;
  for (const Token& token : tokens) text += (text.empty() ? "" : " ") + token.*field;
  return text;
}

bool holds(const Expectation& expected, Analyzer& analyzer) {
  if (expected.relation == "words")
    return joined(analyzer.tokens(expected.forms[0]), &Token::word) == expected.forms[1];
  std::set<std::string> terms;
  for (const std::string& form : expected.forms)
    terms.insert(joined(analyzer.tokens(form), &Token::term));
  return terms.size() == (expected.relation == "same" ? 1 : expected.forms.size());
}

}  // namespace

TEST_CASE("forms of a word share a term, and different words do not, as grammar has it") {
  AnalyzerSettings settings;
  settings.stop_words = "none";
  std::size_t languages = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(KINDRED_SOURCE_DIR "/tests/analyzer/expectations")) {
    const std::string language = file.path().stem().string();
    Analyzer analyzer(settings, language);
    std::size_t count = 0;
    for (const Expectation& expected : expectations_of(file.path())) {
      CAPTURE(language, expected.line, expected.relation, expected.forms);
      CHECK((expected.relation == "same" || expected.relation == "differ" ||
             expected.relation == "words"));
      CHECK(holds(expected, analyzer) != expected.fails);
      ++count;
    }
    CAPTURE(language);
    CHECK(count >= 50);
    ++languages;
  }
  CHECK(languages >= 42);
}
