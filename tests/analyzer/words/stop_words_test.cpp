// The stop-word lists of config/stopwords, as files and as part of the library.
#include "analyzer/text/word_list.h"

#include "analyzer/analyzer.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

// The words of every list, by language, as they stand in the files.
std::map<std::string, std::vector<std::string>> lists() {
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& file :
       std::filesystem::directory_iterator(KINDRED_SOURCE_DIR "/config/stopwords")) {
    auto& words = lists[file.path().stem().string()];
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#') words.push_back(line);
  }
  return lists;
}

}  // namespace

TEST_CASE("the languages of most users have a list of a realistic size") {
  const auto all = lists();
  for (const char* language :
       {"ar", "bg", "ca", "cs", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi",
        "fr", "ga", "he", "hi", "hu", "hy", "id", "it", "ja", "ko", "lt", "ne", "nl", "no",
        "pl", "pt", "ro", "ru", "sr", "sv", "ta", "th", "tr", "uk", "vi", "yi", "zh"}) {
    CAPTURE(language);
    REQUIRE(all.contains(language));
    CHECK(all.at(language).size() >= 90);
    CHECK(all.at(language).size() <= 400);
  }
}

TEST_CASE("the library holds every list as its file is") {
  std::set<std::string> embedded;
  for (const BuiltinStopWords& builtin : builtin_stop_words()) {
    std::ifstream file(KINDRED_SOURCE_DIR "/config/stopwords/" + std::string(builtin.language) +
                       ".txt");
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    CHECK(content == builtin.list);
    embedded.emplace(builtin.language);
  }
  CHECK(embedded.size() == lists().size());
}

TEST_CASE("a list is in byte order, and folding it leaves no word twice") {
  for (const auto& [code, words] : lists()) {
    CAPTURE(code);
    CHECK(std::is_sorted(words.begin(), words.end()));
    const Normalizer normalizer(find_language(code), false);
    std::set<std::string> folded;
    for (const std::string& word : words) {
      CAPTURE(word);
      CHECK(folded.insert(normalizer.fold(word)).second);
    }
  }
}

TEST_CASE("every word of a list is one word to the analyzer, and is dropped") {
  for (const auto& [code, words] : lists()) {
    for (const bool fold_accents : {false, true}) {
      AnalyzerSettings settings;
      settings.fold_accents = fold_accents;
      Analyzer analyzer(settings, code);
      for (const std::string& word : words) {
        CAPTURE(code, word, fold_accents);
        const auto& tokens = analyzer.tokens(word);
        REQUIRE(tokens.size() == 1);
        CHECK(tokens[0].term.empty());
        CHECK(analyzer.is_stop_word(tokens[0].word));
      }
    }
  }
}

TEST_CASE("a language is found under its other codes, and one without a list has no stop words") {
  for (const char* language : {"nb", "nn_NO", "nob", "norwegian"})
    CHECK(Analyzer(AnalyzerSettings{}, language).is_stop_word("ikke"));
  CHECK(Analyzer(AnalyzerSettings{}, "deu_Latn").is_stop_word("und"));
  for (const char* language : {"none", "zu", "eu"})
    CHECK_FALSE(Analyzer(AnalyzerSettings{}, language).is_stop_word("the"));
}
