#include "index/search.h"

#include <atomic>
#include <thread>

#include "tests/fixtures/catch.h"
#include "tests/search_server/small_index.h"

using search_server::FacetCount;
using search_server::FacetTable;
using search_server::QueryAnalysis;
using search_server::QueryMistake;
using search_server::Schema;
using search_server::SearchAnswer;
using search_server::SearchQuestion;

namespace {

const std::vector<SmallDocument> kDocuments = {
    {"moon-1",
     "Landing on the Moon",
     "Astronauts walked there.",
     {"space", "inbox", "_EXACTspace"},
     {},
     "1",
     10},
    {"moon-2", "Moon rocks", "Old stones from the Moon.", {"space", "Science"}, {}, "1", 2.5},
    {"soup", "Tomato soup", "Cook tomatoes slowly.", {}, {"cooking", "Home"}, "2", -3},
    {"guitar", "First chords", "Play a guitar under the moon.", {"music"}, {}, "", 7},
};

class Index {
 public:
  SearchAnswer search(const SearchQuestion& question, bool with_table = false) const {
    if (!with_table) return search_server::search(database, question, schema, analysis, nullptr);
    const FacetTable table(database, schema, "1");
    return search_server::search(database, question, schema, analysis, &table);
  }

  std::vector<std::string> ids(const SearchQuestion& question) const {
    std::vector<std::string> ids;
    for (const auto& found : search(question).documents) ids.push_back(found.document.id);
    return ids;
  }

  Schema schema = small_schema();
  QueryAnalysis analysis = analysis_by(Xapian::Stem("en"));
  Xapian::Database database = small_index(kDocuments);
};

SearchQuestion asking(std::string q) {
  SearchQuestion question;
  question.q = std::move(q);
  return question;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("labels that look the same are one, however another program writes them") {
  Index index;
  index.database = small_index({{"a", "Moon", "", {"caf\u00e9"}, {"m\u00e9t\u00e9o"}, "", 0},
                                {"b", "Moon", "", {"cafe\u0301"}, {"me\u0301te\u0301o"}, "", 0},
                                {"c", "Moon", "", {"music"}, {}, "", 0}});
  for (const char* label : {"caf\u00e9", "cafe\u0301", " caf\u00e9 "}) {
    SearchQuestion question = asking("moon");
    question.filters.labels = {label};
    CHECK(index.ids(question) == Ids{"a", "b"});
    for (const bool with_table : {false, true}) {
      const SearchAnswer answer = index.search(question, with_table);
      CHECK(answer.facets.labels == std::vector<FacetCount>{{"caf\u00e9", 2}});
      CHECK(answer.facets.predicted == std::vector<FacetCount>{{"m\u00e9t\u00e9o", 2}});
      CHECK(answer.documents.at(1).document.labels == Ids{"caf\u00e9"});
    }
  }
}

TEST_CASE("a search understands words, stems, phrases, fields and operators") {
  const Index index;
  CHECK(index.ids(asking("rock")) == Ids{"moon-2"});
  CHECK(index.ids(asking("title:moon NOT rocks")) == Ids{"moon-1"});
  CHECK(index.ids(asking("\"old stones\"")) == Ids{"moon-2"});
  CHECK(index.ids(asking("label:music")) == Ids{"guitar"});
  CHECK(index.ids(asking("predicted:cooking")) == Ids{"soup"});
  CHECK(index.ids(asking("id:soup OR id:guitar")).size() == 2);
  CHECK(index.ids(asking("tomat*")) == Ids{"soup"});
  CHECK(index.ids(asking("moon guitar")) == Ids{"guitar"});
  CHECK(index.ids(asking("")).size() == 4);
  CHECK(index.ids(asking("  ")).size() == 4);
}

TEST_CASE("threads may search for all documents at once") {
  std::atomic<int> found = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&found] {
      const Index index;
      for (int turn = 0; turn < 2000; ++turn) found += index.ids(asking("")).size() == 4 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found == 8000);
}

TEST_CASE("the last word of a partial query may be the beginning of one") {
  const Index index;
  SearchQuestion question = asking("gui");
  CHECK(index.ids(question).empty());
  question.partial = true;
  CHECK(index.ids(question) == Ids{"guitar"});
}

TEST_CASE("a query that cannot be parsed is a mistake of the user") {
  const Index index;
  CHECK_THROWS_AS(index.search(asking("moon AND")), QueryMistake);
  CHECK_THROWS_AS(index.search(asking("XOR")), QueryMistake);
  SearchQuestion question;
  question.sort = "weight";
  CHECK_THROWS_AS(index.search(question), QueryMistake);
}

TEST_CASE("filters join: all labels, and one of the topics, units, languages and values") {
  const Index index;
  SearchQuestion question;
  question.filters.labels = {"space"};
  CHECK(index.ids(question) == Ids{"moon-1", "moon-2"});
  question.filters.labels = {"space", "Science"};
  CHECK(index.ids(question) == Ids{"moon-2"});
  question.filters.topics = {2};
  CHECK(index.ids(question).empty());
  question = {};
  question.filters.topics = {1, 2};
  CHECK(index.ids(question).size() == 3);
  question.filters.predicted = {"Home"};
  CHECK(index.ids(question) == Ids{"soup"});
  question = {};
  question.filters.languages = {"en", "fr"};
  CHECK(index.ids(question).size() == 4);
  question.filters.labels = {std::string(300, 'x')};
  CHECK(index.ids(question).empty());
}

TEST_CASE("numbers are filtered by value and by range, and sorted as numbers") {
  const Index index;
  SearchQuestion question;
  const auto filtered = [&](std::vector<std::string> values) {
    question.filters.values["size"] = std::move(values);
    return index.ids(question);
  };
  CHECK(filtered({"2.5"}) == Ids{"moon-2"});
  CHECK(filtered({"2..8"}) == Ids{"moon-2", "guitar"});
  CHECK(filtered({"..-1"}) == Ids{"soup"});
  CHECK(filtered({"8.."}) == Ids{"moon-1"});
  CHECK(filtered({"-3", "10"}) == Ids{"moon-1", "soup"});
  CHECK_THROWS_AS(filtered({"many"}), QueryMistake);
  CHECK_THROWS_AS(filtered({"1..many"}), QueryMistake);
  question = {};
  question.sort = "size";
  CHECK(index.ids(question) == Ids{"soup", "moon-2", "guitar", "moon-1"});
  question.sort = "-size";
  CHECK(index.ids(question) == Ids{"moon-1", "guitar", "moon-2", "soup"});
  question.sort = "newest";
  CHECK(index.ids(question) == Ids{"guitar", "soup", "moon-2", "moon-1"});
}

TEST_CASE("pages follow each other, and the total is exact") {
  const Index index;
  SearchQuestion question;
  question.limit = 3;
  const SearchAnswer first = index.search(question);
  CHECK(first.documents.size() == 3);
  CHECK(first.estimate == 4);
  CHECK(first.exact);
  question.offset = 3;
  CHECK(index.ids(question) == Ids{"guitar"});
  question.offset = 10;
  CHECK(index.ids(question).empty());
}

TEST_CASE("facets count what matches, from a table as from documents") {
  const Index index;
  for (const bool with_table : {false, true}) {
    CAPTURE(with_table);
    const SearchAnswer all = index.search({}, with_table);
    CHECK(all.facets.counted == 4);
    CHECK(all.facets.labels == std::vector<FacetCount>{{"space", 2}, {"Science", 1}, {"music", 1}});
    CHECK(all.facets.predicted == std::vector<FacetCount>{{"Home", 1}, {"cooking", 1}});
    CHECK(all.facets.topics == std::vector<FacetCount>{{"1", 2}, {"2", 1}});
    CHECK(all.facets.languages == std::vector<FacetCount>{{"en", 4}});
    REQUIRE(all.facets.values.size() == 1);
    CHECK(all.facets.values[0].second.size() == 4);
    CHECK(all.facets.values[0].second[0].first == "-3");
    const SearchAnswer moon = index.search(asking("moon"), with_table);
    CHECK(moon.facets.counted == 3);
    CHECK(moon.facets.labels[0] == FacetCount{"space", 2});
    SearchQuestion none;
    none.facets = 0;
    CHECK(index.search(none, with_table).facets.labels.empty());
    none.facets = 1;
    CHECK(index.search(none, with_table).facets.labels.size() == 1);
  }
}

TEST_CASE("an unknown word is corrected to the nearest word of the index") {
  const Index index;
  CHECK(index.search(asking("gitar")).correction == "guitar");
  CHECK(index.search(asking("title:moon astronuats")).correction == "title:moon astronauts");
  CHECK(index.search(asking("guitar")).correction == "");
  CHECK(index.search(asking("zzzzzzzz")).correction == "");
}

TEST_CASE("a document is read with its tags, values and data") {
  const Index index;
  const auto document = search_server::read_document(index.database.get_document(3), index.schema);
  CHECK(document.id == "soup");
  CHECK(document.title == "Tomato soup");
  CHECK(document.text == "Cook tomatoes slowly.");
  CHECK(document.labels.empty());
  CHECK(document.predicted ==
        std::vector<std::pair<std::string, double>>{{"Home", 0.7}, {"cooking", 0.5}});
  CHECK(document.topic == 2u);
  CHECK(document.language == "en");
  CHECK(document.fields.at("url") == "http://example.org/?a=b");
  const auto labeled = search_server::read_document(index.database.get_document(1), index.schema);
  CHECK(labeled.labels == std::vector<std::string>{"space"});
  CHECK(search_server::find_document(index.database, "moon-2", index.schema) == 2);
  CHECK(search_server::find_document(index.database, "2", index.schema) == 0);
  CHECK(search_server::find_document(index.database, "", index.schema) == 0);
  CHECK(search_server::find_document(index.database, std::string(2000, 'x'), index.schema) == 0);
}

TEST_CASE("a prefix of labels that begins another prefix takes none of its terms") {
  Index index;
  index.schema.label_prefix = "XTOP";
  const SearchAnswer all = index.search({});
  CHECK(all.facets.labels.empty());
  CHECK(all.facets.topics.size() == 2);
  CHECK(all.documents[0].document.labels.empty());
  CHECK(all.documents[0].document.topic == 1u);
}
