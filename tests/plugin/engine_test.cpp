// The C++ face over a database on disk and one in memory: related documents and their explanation.
#include "plugin/engine.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "plugin/input/record.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::Collection;
using test::record;

namespace {

std::vector<std::string> ids(const RelatedResult& result) {
  std::vector<std::string> found;
  for (const Related& related : result.results) found.push_back(related.id);
  return found;
}

RelatedRequest like(std::vector<Example> examples) {
  RelatedRequest request;
  request.like = std::move(examples);
  return request;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("related by id, docid and text find the same documents") {
  const Collection collection;
  const Engine engine(collection.path, {});
  const RelatedResult by_id = engine.related(like({UniqueId{"cat1"}}));
  CHECK(ids(by_id) == Ids{"cat2", "dog1"});
  CHECK(ids(engine.related(like({Docid{1}}))) == ids(by_id));
  const Record cat1 = test::small_collection()[0];
  CHECK(ids(engine.related(like({cat1}))) == ids(by_id));  // a new version of cat1 is cat1
  const RelatedResult by_text = engine.related(like({record("", cat1.text)}));
  CHECK(ids(by_text) == Ids{"cat1", "cat2", "dog1"});  // a text is not a document
  CHECK(by_text.results[0].similarity == 1.0f);
  CHECK(by_text.results[1].similarity == by_id.results[0].similarity);
  CHECK(by_id.revision == engine.status().revision);
}

TEST_CASE("k and threshold cut the list") {
  const Collection collection;
  const Engine engine(collection.path, {});
  RelatedRequest request = like({UniqueId{"cat1"}});
  const float second = engine.related(request).results[1].similarity;
  request.k = 1;
  CHECK(ids(engine.related(request)) == Ids{"cat2"});
  request.k = 1000000000;
  CHECK(ids(engine.related(request)) == Ids{"cat2", "dog1"});
  request.threshold = second;
  CHECK(engine.related(request).results.size() == 2);
  request.threshold = std::nextafter(second, 1.0f);
  CHECK(engine.related(request).results.size() == 1);
}

TEST_CASE("several examples are averaged, counter-examples push away, none of them is a result") {
  const Collection collection;
  const Engine engine(collection.path, {});
  CHECK(ids(engine.related(like({UniqueId{"cat1"}, UniqueId{"tax1"}}))) ==
        Ids{"tax2", "cat2", "dog1"});
  RelatedRequest request = like({record("", "cat budget")});
  request.k = 2;
  CHECK(ids(engine.related(request)) == Ids{"tax2", "tax1"});
  request.unlike = {record("", "budget")};
  CHECK(ids(engine.related(request)) == Ids{"cat2", "cat1"});
  request.unlike = {record("", "budget"), UniqueId{"cat2"}};
  for (const std::string& id : ids(engine.related(request))) CHECK(id != "cat2");
  request.unlike = request.like;
  CHECK(engine.related(request).results.empty());
}

TEST_CASE("a filter is any Xapian query") {
  const Collection collection;
  const Engine engine(collection.path, {});
  RelatedRequest request = like({record("", "cat income budget")});
  request.filter = "label:finance";
  CHECK(ids(engine.related(request)) == Ids{"tax2", "tax1"});
  request.filter = "NOT label:finance";
  CHECK(ids(engine.related(request)) == Ids{"cat2", "cat1", "dog1"});
  request.filter = "\"interest rates\" AND incomes";  // a phrase, and a word by its stem
  CHECK(ids(engine.related(request)) == Ids{"tax2"});
  request.filter = "id:cat2";
  CHECK(ids(engine.related(request)) == Ids{"cat2"});
  request.filter = "label:nobody";
  CHECK(engine.related(request).results.empty());
}

TEST_CASE("the terms of an explanation are shared, positive, and add up to the similarity") {
  const Collection collection;
  const Engine engine(collection.path, {});
  RelatedRequest request = like({UniqueId{"tax1"}});
  request.explain = true;
  for (const Related& related : engine.related(request).results) {
    REQUIRE_FALSE(related.terms.empty());
    double sum = 0;
    for (const TermContribution& part : related.terms) {
      CHECK(part.contribution > 0);
      CHECK(part.term[0] == 'Z');
      sum += part.contribution;
    }
    CHECK(sum == Approx(related.similarity).epsilon(1e-6));
    CHECK(std::is_sorted(
        related.terms.begin(), related.terms.end(),
        [](const auto& a, const auto& b) { return a.contribution > b.contribution; }));
  }
}

TEST_CASE("impossible requests are refused with a reason") {
  const Collection collection;
  const Engine engine(collection.path, {});
  RelatedRequest request = like({UniqueId{"cat1"}});
  CHECK(code_of([&] { engine.related(like({})); }) == Errc::kInvalidArgument);
  CHECK(code_of([&] { engine.related(like({UniqueId{"nobody"}})); }) == Errc::kNotFound);
  CHECK(code_of([&] { engine.related(like({Docid{99}})); }) == Errc::kNotFound);
  request.k = 0;
  CHECK(code_of([&] { engine.related(request); }) == Errc::kInvalidArgument);
  request.k = 1;
  request.threshold = 1.5;
  CHECK(code_of([&] { engine.related(request); }) == Errc::kInvalidArgument);
  request.threshold = 0;
  request.filter = "\"unclosed AND (";
  CHECK(code_of([&] { engine.related(request); }) != Errc::kInternal);
  request.filter = "cat AND OR dog";
  CHECK(code_of([&] { engine.related(request); }) == Errc::kInvalidArgument);
}

TEST_CASE("a text without a known term, or empty, is related to nothing") {
  const Collection collection;
  const Engine engine(collection.path, {});
  CHECK(engine.related(like({record("", "xylophone")})).results.empty());
  CHECK(engine.related(like({Record{}})).results.empty());
}

TEST_CASE("titles come from the document data") {
  test::TemporaryDirectory directory;
  Record titled = record("a", "one two three");
  titled.title = "On = numbers\nand more";
  test::write(directory / "db", {titled, record("b", "one two"), record("c", "four")});
  const Engine engine(directory / "db", {});
  CHECK(engine.related(like({UniqueId{"b"}})).results.at(0).title == "On = numbers and more");
}

TEST_CASE("an absent database and bad settings are refused") {
  test::TemporaryDirectory directory;
  CHECK(code_of([&] { Engine(directory / "absent", Settings{}); }) == Errc::kNotFound);
  std::filesystem::create_directory(directory / "empty");
  CHECK(code_of([&] { Engine(directory / "empty", Settings{}); }) == Errc::kNotFound);
  test::write(directory / "db", test::small_collection());
  Settings settings;
  settings.classify.k = 0;
  CHECK(code_of([&] { Engine(directory / "db", settings); }) == Errc::kInvalidArgument);
  settings = {};
  settings.backend.kind = "cuda";
  const Errc cuda = code_of([&] { Engine(directory / "db", settings); });
  CHECK((cuda == Errc::kOk || cuda == Errc::kUnsupported));
}

TEST_CASE("refresh follows the database and says whether it moved") {
  const Collection collection;
  Engine engine(collection.path, {});
  CHECK_FALSE(engine.refresh());
  const auto before = engine.status();
  test::write(collection.path, {record("cat3", "Another cat that purrs", {"pets"})});
  CHECK(engine.status().documents == before.documents);  // still the old snapshot
  CHECK(engine.refresh());
  CHECK(engine.status().documents == before.documents + 1);
  CHECK(engine.status().revision > before.revision);
  CHECK(engine.related(like({UniqueId{"cat3"}})).results.size() > 0);
  CHECK_FALSE(engine.refresh());
}

TEST_CASE("why the CPU answers is said at most once") {
  const Collection collection;
  std::vector<std::string> said;
  Engine engine(collection.path, {}, [&](const std::string& message) { said.push_back(message); });
  test::write(collection.path, {record("cat3", "Another cat that purrs", {"pets"})});
  REQUIRE(engine.refresh());
  const auto reasons = std::count_if(said.begin(), said.end(), [](const std::string& message) {
    return message.find("mirrored revision") == std::string::npos &&
           message.find("may have changed") == std::string::npos;
  });
  CHECK(std::ssize(said) - reasons == 3);
  CHECK(reasons <= (engine.status().backend == "cpu" ? 1 : 0));
}

TEST_CASE("a database that vanished leaves the old snapshot in service") {
  const Collection collection;
  Engine engine(collection.path, {});
  std::filesystem::remove_all(collection.path);
  CHECK(code_of([&] { engine.refresh(); }) == Errc::kNotFound);
  CHECK(engine.classify(record("", "cat purrs")).best->label == "animals");
  CHECK(engine.status().documents == 7);
}

TEST_CASE("a database in memory and one of several shards are followed too") {
  Xapian::WritableDatabase memory("", Xapian::DB_BACKEND_INMEMORY);
  Xapian::Document document;
  document.add_term("Zcat");
  memory.add_document(document);
  Engine engine(memory, {});
  CHECK(engine.status().documents == 1);
  memory.add_document(document);
  engine.refresh();
  CHECK(engine.status().documents == 2);

  test::TemporaryDirectory directory;
  test::write(directory / "one", {record("a", "cats and dogs")});
  test::write(directory / "two", {record("b", "dogs and cats"), record("c", "taxes")});
  Xapian::Database shards(directory / "one");
  shards.add_database(Xapian::Database(directory / "two"));
  Engine sharded(shards, {});
  CHECK(ids(sharded.related(like({UniqueId{"a"}}))) == Ids{"b"});
  CHECK(sharded.status().revision == 0);
}

TEST_CASE("an empty database answers everything with nothing") {
  test::TemporaryDirectory directory;
  test::write(directory / "db", {});
  const Engine engine(directory / "db", {});
  CHECK(engine.status().documents == 0);
  CHECK(engine.related(like({record("", "cat")})).results.empty());
  CHECK(engine.classify(record("", "cat")).tags.empty());
}
