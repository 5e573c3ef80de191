// A search as the question "search" answers it, through the C++ face.
#include <random>
#include <set>

#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::code_of;
using test::record;

namespace {

api::SearchRequest typed(const std::string& query) {
  api::SearchRequest request;
  request.query = query;
  return request;
}

std::vector<std::string> ids_of(const api::SearchAnswer& page) {
  std::vector<std::string> ids;
  for (const api::FoundDocument& document : page.documents) ids.push_back(document.id);
  return ids;
}

Record titled(const std::string& id, const std::string& title, const std::string& text,
              std::vector<std::string> labels = {}) {
  Record made = record(id, text, std::move(labels));
  made.title = title;
  return made;
}

using Ids = std::vector<std::string>;

/// Three documents about craft and one about bread.
std::vector<Record> crafts() {
  return {titled("wiki", "Spacecraft", "A spacecraft flies in space", {"space"}),
          titled("boats", "Boats", "A craft on water, and a spacecraft beside it", {"sea"}),
          titled("kits", "Kits", "Spacecraft of paper and of wood, a craft for children", {"toys"}),
          titled("bread", "Bread", "Bread of rye and of wheat", {"food"})};
}

}  // namespace

TEST_CASE("a search ranks what matches, with the title that was typed first") {
  const test::EngineOf engine(crafts());
  const api::SearchAnswer page = engine.search(typed("spacecraft"));
  REQUIRE(page.documents.size() == 3);
  CHECK(page.documents[0].id == "wiki");
  CHECK(page.documents[0].labels == Ids{"space"});
  CHECK(page.documents[0].score.value() > 0);
  CHECK(page.total->estimate == 3);
  CHECK(page.total->exact);
  CHECK(page.revision > 0);

  std::string hits;
  for (const api::SnippetPart& part : page.documents[0].snippet.value())
    if (part.hit) hits += part.text;
  CHECK(hits == "spacecraft");
}

TEST_CASE("pages follow each other without gaps, and the last is empty") {
  std::vector<Record> records;
  for (int i = 0; i < 25; ++i)
    records.push_back(record("d" + std::to_string(i), "moon number" + std::to_string(i)));
  const test::EngineOf engine(records);

  api::SearchRequest request = typed("moon");
  std::set<std::string> seen;
  for (request.offset = 0; request.offset < 25; request.offset += 10) {
    const Ids ids = ids_of(engine.search(request));
    CHECK(ids.size() == (request.offset < 20 ? 10 : 5));
    seen.insert(ids.begin(), ids.end());
  }
  CHECK(seen.size() == 25);

  request.offset = 30;
  CHECK(engine.search(request).documents.empty());
  request.offset = 20'000;  // deeper than ranks say anything
  CHECK(engine.search(request).documents.empty());
}

TEST_CASE("words with OR between them are ranked, whatever part of the list is asked for") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::vector<Record> records;
    for (int i = 0; i < 28; ++i) {
      std::string text;
      for (const char* word : {"cat ", "cats ", "budget ", "dog ", "other "})
        for (unsigned times = random() % 4; times > 0; --times) text += word;
      records.push_back(record("d" + std::to_string(i), text));
    }
    const test::EngineOf engine(records);
    api::SearchRequest request = typed("cat OR budget OR dog");
    request.limit = 1000;
    const Ids all = ids_of(engine.search(request));
    for (const std::size_t offset : {0, 1, 5, 12}) {
      for (const std::size_t limit : {1, 5, 14, 28}) {
        request.offset = static_cast<std::int64_t>(offset);
        request.limit = static_cast<std::int64_t>(limit);
        const auto from = std::span(all).subspan(std::min(offset, all.size()));
        const auto page = ids_of(engine.search(request));
        CHECK(std::ranges::equal(page, from.first(std::min(limit, from.size()))));
      }
    }
  }
}

TEST_CASE("labels narrow a search to documents that have all of them, languages to one of each") {
  const test::EngineOf engine({record("a", "moon", {"space", "night"}),
                               record("b", "moon", {"space"}), record("c", "moon", {"night"})});
  api::SearchRequest request = typed("moon");
  request.label = {"space", "night"};
  CHECK(ids_of(engine.search(request)) == Ids{"a"});
  request.label = {"space"};
  CHECK(engine.search(request).documents.size() == 2);
  request.label = {"nobody's"};
  CHECK(engine.search(request).documents.empty());

  request.label = {};
  request.language = {"de"};
  CHECK(engine.search(request).documents.empty());
}

TEST_CASE("facets count what matches, whatever page is shown") {
  const test::EngineOf engine(crafts());
  api::SearchRequest request = typed("spacecraft");
  request.limit = 1;
  request.facets = 10;
  const api::SearchAnswer page = engine.search(request);
  CHECK(page.documents.size() == 1);
  CHECK(page.counted == 3);
  std::set<std::string> labels;
  for (const api::LabelFacet& facet : page.facets->label) {
    CHECK(facet.documents == 1);
    labels.insert(facet.value);
  }
  CHECK(labels == std::set<std::string>{"sea", "space", "toys"});
}

TEST_CASE("documents of several shards have the docids of the whole, and so have facets") {
  const test::TemporaryDirectory directory;
  for (const char* shard : {"a", "b"}) {
    Xapian::WritableDatabase database(directory / shard, Xapian::DB_CREATE);
    for (const char* word : {"moon", "bread"}) {
      Xapian::Document document;
      document.add_term(word);
      document.add_term("K" + std::string(word) + "s");
      database.add_document(document);
    }
    database.commit();
  }
  test::put_file(directory / "stub", "auto a\nauto b\n");
  const Engine engine(directory / "stub", test::on_cpu());

  api::SearchRequest request = typed("bread");
  request.facets = 10;
  const api::SearchAnswer page = engine.search(request);
  CHECK(ids_of(page) == Ids{"3", "4"});
  CHECK(page.documents.at(1).docid == 4);
  REQUIRE(page.facets->label.size() == 1);
  CHECK(page.facets->label[0].value == "breads");
  CHECK(page.facets->label[0].documents == 2);

  const api::DocumentsAnswer stored = engine.documents({Docid{4}});
  CHECK(stored.documents.at(0).id == "4");
  CHECK(stored.documents.at(0).docid == 4);
}

TEST_CASE("near copies stand behind the best of them on all pages") {
  std::vector<Record> records;
  for (int i = 0; i < 30; ++i)
    records.push_back(record("copy" + std::to_string(i), "A moon rises over the quiet sea"));
  for (int i = 0; i < 5; ++i)
    records.push_back(record("other" + std::to_string(i),
                             "moon of planet" + std::to_string(i) + " seen" + std::to_string(i)));
  const test::EngineOf engine(records);

  api::SearchRequest request = typed("moon");
  request.fold = 0.95;
  request.limit = 3;
  Ids shown;
  for (; request.offset < 9; request.offset += 3) {
    const Ids page = ids_of(engine.search(request));
    shown.insert(shown.end(), page.begin(), page.end());
  }
  CHECK(shown.size() == 6);

  request.offset = 0;
  request.limit = 10;
  const api::SearchAnswer all = engine.search(request);
  CHECK(ids_of(all) == shown);
  CHECK(all.folded == 29);
}

TEST_CASE("a correction replaces the unknown word, at its own place") {
  const test::EngineOf engine(crafts());
  const auto corrected = [&](const std::string& query) {
    return engine.search(typed(query)).correction.value().value_or("");
  };
  CHECK(corrected("spacecraft spacecraft") == "");
  CHECK(corrected("spacecraft chilren") == "spacecraft children");
  CHECK(corrected("spacecraft spacecrft") == "spacecraft spacecraft");
}

TEST_CASE("a correction is one of a query that finds something, with the filters of the search") {
  const test::EngineOf engine(crafts());
  api::SearchRequest request = typed("chilren");
  CHECK(engine.search(request).correction.value() == "children");
  request.label = {"no such label"};
  CHECK(!engine.search(request).correction.value());
}

TEST_CASE("the beginning of a word that is typed with a slip is put right, from four letters on") {
  const test::EngineOf engine(crafts());
  const auto corrected = [&](const std::string& query) {
    api::SearchRequest request = typed(query);
    request.partial = true;
    return engine.search(request).correction.value().value_or("");
  };
  CHECK(corrected("spacecr") == "");
  CHECK(corrected("spacexr") == "spacecr");
  CHECK(corrected("spaceecr") == "spacecr");
  CHECK(corrected("spcecr") == "spacecr");
  CHECK(corrected("psacecr") == "");
  CHECK(corrected("spx") == "");
  CHECK(corrected("spaekraft") == "spacecraft");  // a whole word, with two slips
}

TEST_CASE("documents are found by their ids, whole, and an unknown id is named") {
  const test::EngineOf engine(crafts());
  api::SearchRequest request;
  request.ids = {{"bread", "wiki"}};
  const api::SearchAnswer found = engine.search(request);
  CHECK(ids_of(found) == Ids{"bread", "wiki"});
  CHECK(found.documents[0].text == "Bread of rye and of wheat");
  CHECK(found.documents[0].etag != found.documents[1].etag);
  CHECK(engine.search(request).documents[0].etag == found.documents[0].etag);

  request.ids = {{"cake"}};
  CHECK(code_of([&] { engine.search(request); }, "no document has the id 'cake'") ==
        Errc::kNotFound);
}

TEST_CASE("an entity tag changes with the tags of a document, and with nothing else") {
  const test::Collection collection;
  const Engine engine(collection.path, {});
  const auto etag_of = [&](const std::string& id) {
    api::SearchRequest request;
    request.ids = {{id}};
    return engine.search(request).documents[0].etag;
  };

  const std::string before = etag_of("tax1");
  const std::string other = etag_of("tax2");
  TagEdit accepts;
  accepts.accept = {"budget"};
  test::edit_tags(collection.path, {}, {"tax1"}, accepts);
  CHECK(etag_of("tax1") != before);
  CHECK(etag_of("tax2") == other);

  TagEdit takes_off;
  takes_off.take_off = {"budget"};
  test::edit_tags(collection.path, {}, {"tax1"}, takes_off);
  CHECK(etag_of("tax1") == before);
}

TEST_CASE("a query that is still being written counts as its words, another one is refused") {
  const test::EngineOf engine(crafts());
  api::SearchRequest request = typed("\"spacecraft of");
  CHECK(code_of([&] { engine.search(request); }, "quote") == Errc::kInvalidArgument);
  request.partial = true;
  CHECK_FALSE(engine.search(request).documents.empty());
}

TEST_CASE("the newest first, or by a value; another order is refused and named") {
  const test::EngineOf engine(crafts());
  api::SearchRequest request = typed("craft");
  request.sort = "newest";
  CHECK(ids_of(engine.search(request)).front() == "kits");
  request.sort = "price";
  CHECK(code_of([&] { engine.search(request); }, "'price'") == Errc::kInvalidArgument);
}
