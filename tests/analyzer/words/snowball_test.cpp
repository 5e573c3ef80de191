// The stemmer against the vocabularies of the Snowball project. Releases of libstemmer differ from
// the vocabulary in a few words; no release may differ in more than 2.2 does.
#include <zlib.h>

#include "analyzer/text/language.h"
#include "analyzer/text/stemmer.h"
#include "tests/analyzer/words/conformance_file.h"
#include "tests/fixtures/catch.h"

using namespace kindred;
using test::conformance_file;

namespace {

// Lines word TAB stem of a gzip file.
std::vector<std::pair<std::string, std::string>> read_vocabulary(
    const std::filesystem::path& path) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  char line[1024];
  while (gzgets(file, line, sizeof line) != nullptr) {
    std::string text(line);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    const std::size_t tab = text.find('\t');
    REQUIRE(tab != std::string::npos);
    pairs.emplace_back(text.substr(0, tab), text.substr(tab + 1));
  }
  gzclose(file);
  return pairs;
}

}  // namespace

TEST_CASE("stems agree with the Snowball vocabularies") {
  if (!std::filesystem::exists(conformance_file("snowball"))) {
    std::puts("SKIPPED: no Snowball vocabularies; set KINDRED_CONFORMANCE to their folder");
    SUCCEED();
    return;
  }
  const std::pair<const char*, std::size_t> differing[] = {
      {"danish", 0},     {"english", 12}, {"finnish", 0},    {"hungarian", 0}, {"italian", 0},
      {"norwegian", 29}, {"porter", 0},   {"portuguese", 1}, {"russian", 28},  {"spanish", 2}};
  for (const auto& [language, most] : differing) {
    Stemmer stemmer(find_language(language).stemmer);
    REQUIRE(stemmer.active());
    std::size_t words = 0, different = 0;
    for (const auto& [word, stem] :
         read_vocabulary(conformance_file("snowball/" + std::string(language) + ".tsv.gz"))) {
      ++words;
      different += stemmer.stem(word) != stem;
    }
    CAPTURE(language, words);
    CHECK(words > 1000);
    CHECK(different <= most);
  }
}
