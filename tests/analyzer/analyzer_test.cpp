// The contract of analyzer/analyzer.h: bags, tokens, positions, traces, limits.
// Filters, languages and Unicode have their own files.
#include "analyzer/analyzer.h"

#include "config/error.h"
#include "tests/analyzer/only_filters.h"
#include "tests/fixtures/catch.h"

using namespace kindred;
using test::only_filters;

namespace {

// "word/term" of every token, with a space between.
std::string joined(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& t : tokens) text += (text.empty() ? "" : " ") + t.word + "/" + t.term;
  return text;
}

std::string random_text(std::mt19937& random, std::size_t words, std::size_t vocabulary) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    std::size_t word = random() % vocabulary;
    do text += static_cast<char>('a' + word % 26);
    while ((word /= 26) != 0);
    text += random() % 9 == 0 ? ". " : " ";
  }
  return text;
}

}  // namespace

TEST_CASE("a text becomes its terms in byte order, each once with its count") {
  Analyzer analyzer(AnalyzerSettings{});
  const TermBag bag =
      analyzer.analyze("Running shoes: the runner runs, and the shoe RAN. Zoë's zoo");
  CHECK(bag == TermBag{{"ran", 1}, {"run", 2}, {"runner", 1}, {"shoe", 2}, {"zoo", 1}, {"zoë", 1}});
}

TEST_CASE("a text without words is an empty bag") {
  Analyzer analyzer(AnalyzerSettings{});
  CHECK(analyzer.analyze("").empty());
  CHECK(analyzer.analyze(" \t\r\n... --- ___ !").empty());
  CHECK(analyzer.analyze("the and of").empty());
  CHECK(analyzer.tokens("").empty());
  CHECK(analyzer.trace("").empty());
}

TEST_CASE("words are counted unstemmed, stop words included") {
  Analyzer analyzer(AnalyzerSettings{});
  CHECK(analyzer.words("The dogs and the Dog's dogs") ==
        TermBag{{"and", 1}, {"dog", 1}, {"dogs", 2}, {"the", 2}});
}

TEST_CASE("tokens keep what people search for beside the feature") {
  Analyzer analyzer(AnalyzerSettings{});
  CHECK(joined(analyzer.tokens("The Children's libraries")) ==
        "the/ children/children libraries/librari");
}

TEST_CASE("positions count every word of the text, also those that are dropped") {
  Analyzer analyzer(AnalyzerSettings{});
  const auto& tokens = analyzer.tokens("the cats, " + std::string(65, 'x') + " -- dogs");
  CHECK(joined(tokens) == "the/ cats/cat / dogs/dog");
  for (std::size_t i = 0; i < tokens.size(); ++i) CHECK(tokens[i].position == i + 1);
}

TEST_CASE("tokens of a shorter text leave nothing of a longer one") {
  Analyzer analyzer(AnalyzerSettings{});
  analyzer.tokens("one two three four five six seven");
  CHECK(joined(analyzer.tokens("Dogs bark")) == "dogs/dog bark/bark");
}

TEST_CASE("a trace shows only the steps that changed or dropped the word") {
  Analyzer analyzer(AnalyzerSettings{});
  const auto traces = analyzer.trace("The Dogs’ ÉCLAIR's runs cat");
  REQUIRE(traces.size() == 5);
  const auto steps = [&](std::size_t i) {
    std::string text = traces[i].surface + ":";
    for (const TraceStep& s : traces[i].steps) text += " " + s.step + "=" + s.result;
    return text + " -> " + traces[i].word + "/" + traces[i].term;
  };
  CHECK(steps(0) == "The: fold=the stop_words= -> the/");
  CHECK(steps(1) == "Dogs: fold=dogs stem=dog -> dogs/dog");
  CHECK(steps(2) == "ÉCLAIR's: fold=éclair's possessive=éclair -> éclair/éclair");
  CHECK(steps(3) == "runs: stem=run -> runs/run");
  CHECK(steps(4) == "cat: -> cat/cat");
  CHECK(traces[4].position == 5);
}

TEST_CASE("bag, tokens, trace and term_of tell the same story") {
  AnalyzerSettings settings;
  settings.filters.insert(settings.filters.begin(), "numbers");
  Analyzer analyzer(settings);
  const std::string text = "It's 3.14 o'clock in the Überraschungen of naïve e.g. runners, " +
                           std::string(65, 'x') + " so";
  std::map<std::string, std::uint32_t> terms, words;
  for (const Token& t : analyzer.tokens(text)) {
    if (!t.term.empty()) ++terms[t.term];
    if (!t.word.empty()) ++words[t.word];
    CHECK(analyzer.term_of(t.word) == t.term);
  }
  const auto as_bag = [](const auto& counts) {
    TermBag bag;
    for (const auto& [term, count] : counts) bag.push_back({term, count});
    return bag;
  };
  CHECK(analyzer.analyze(text) == as_bag(terms));
  CHECK(analyzer.words(text) == as_bag(words));
  const auto traces = analyzer.trace(text);
  const auto& tokens = analyzer.tokens(text);
  REQUIRE(traces.size() == tokens.size());
  for (std::size_t i = 0; i < traces.size(); ++i) {
    CHECK(traces[i].word == tokens[i].word);
    CHECK(traces[i].term == tokens[i].term);
    CHECK(traces[i].position == tokens[i].position);
  }
}

TEST_CASE("terms sort by bytes where their first eight are the same") {
  Analyzer analyzer(only_filters({}));
  CHECK(
      analyzer.analyze("abcdefghz abcdefgh abcdefgha abcdefg é z") ==
      TermBag{
          {"abcdefg", 1}, {"abcdefgh", 1}, {"abcdefgha", 1}, {"abcdefghz", 1}, {"z", 1}, {"é", 1}});
}

TEST_CASE("earlier texts do not change the answer") {
  Analyzer used(AnalyzerSettings{});
  std::mt19937 random(7);
  for (int i = 0; i < 30; ++i) {
    const std::string text = random_text(random, 20'000, 1 + random() % 1'000'000);
    Analyzer fresh(AnalyzerSettings{});
    REQUIRE(used.analyze(text) == fresh.analyze(text));
  }
}

TEST_CASE("a word of 20 MB is one word, dropped by its length") {
  Analyzer analyzer(AnalyzerSettings{});
  const std::string text = "before " + std::string(20'000'000, 'x') + " after";
  CHECK(analyzer.words(text) == TermBag{{"after", 1}, {"before", 1}});
  CHECK(analyzer.tokens("é" + text).size() == 3);
}
