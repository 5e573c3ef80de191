#include "index/edit_distance.h"
#include "index/terms.h"
#include "index/word_cache.h"
#include "tests/fixtures/catch.h"
#include "tests/search_server/small_index.h"

using search_server::edit_distance;

TEST_CASE("an edit is a byte put in, left out, changed or swapped") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("limit", "limit") == 0);
  CHECK(edit_distance("limt", "limit") == 1);
  CHECK(edit_distance("limiit", "limit") == 1);
  CHECK(edit_distance("lomit", "limit") == 1);
  CHECK(edit_distance("ilmit", "limit") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a name is suggested only if it is near") {
  const std::vector<std::string> names = {"limit", "label", "offset"};
  CHECK(search_server::suggestion("limt", names) == ", did you mean 'limit'?");
  CHECK(search_server::suggestion("lable", names) == ", did you mean 'label'?");
  CHECK(search_server::suggestion("zzz", names) == "");
  CHECK(search_server::suggestion(std::string(100'000, 'l'), names) == "");
}

TEST_CASE("a term has a colon after its prefix where Xapian's query parser writes one") {
  using search_server::term_of;
  using search_server::value_of;
  CHECK(term_of("K", "Moon") == "KMoon");
  CHECK(term_of("XT", "moon") == "XTmoon");
  CHECK(term_of("XT", "Moon") == "XT:Moon");
  CHECK(term_of("XT", ":moon") == "XT::moon");
  CHECK(term_of("XFOLDER:", "Inbox") == "XFOLDER:Inbox");
  for (const std::string value : {"moon", "Moon", ":moon", "\xc3\x84"}) {
    CHECK(value_of("XT", term_of("XT", value)) == value);
    CHECK(value_of("K", term_of("K", value)) == value);
  }
  CHECK_FALSE(value_of("XT", "XTOPIC3"));
  CHECK_FALSE(value_of("XT", "XT"));
  CHECK_FALSE(value_of("XT", "Kmoon"));
}

TEST_CASE("a stem is shown as the most frequent word that has it") {
  const Xapian::Database database =
      small_index({{"1", "", "happy people are happy", {}, {}, "", 0},
                   {"2", "", "happiness of a happy cook", {}, {}, "", 0},
                   {"3", "", "cooking, cooked, cooking", {}, {}, "", 0},
                   {"4", "", "cooking", {}, {}, "", 0}});
  const search_server::QueryAnalysis analysis = analysis_by(Xapian::Stem("en"));
  search_server::WordCache words;
  for (int again = 0; again < 2; ++again) {
    CHECK(words.word(database, "Zhappi", analysis) == "happy");
    CHECK(words.word(database, "Zcook", analysis) == "cooking");
    CHECK(words.word(database, "ZSunknown", analysis) == "unknown");
    CHECK(words.word(database, "plain", analysis) == "plain");
  }
}
