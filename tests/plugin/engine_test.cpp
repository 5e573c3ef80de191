// Related documents through the C++ face: what cuts, averages and filters them, and their titles.
#include "plugin/engine.h"

#include "tests/fixtures/catch.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::Collection;
using test::like;
using test::record;

namespace {

std::vector<std::string> ids(const RelatedResult& result) {
  std::vector<std::string> found;
  for (const api::RelatedDocument& related : result.results) found.push_back(related.id);
  return found;
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("k and threshold cut the list") {
  const test::EngineOf engine;
  RelatedRequest request = like({UniqueId{"cat1"}});
  const float second = engine.related(request).results[1].similarity;
  request.limit = 1;
  CHECK(ids(engine.related(request)) == Ids{"cat2"});
  request.limit = 1000000000;
  CHECK(ids(engine.related(request)) == Ids{"cat2", "dog1"});
  request.min_similarity = second;
  CHECK(engine.related(request).results.size() == 2);
  request.min_similarity = std::nextafter(second, 1.0f);
  CHECK(engine.related(request).results.size() == 1);
}

TEST_CASE("several examples are averaged, counter-examples push away, none of them is a result") {
  const test::EngineOf engine;
  CHECK(ids(engine.related(like({UniqueId{"cat1"}, UniqueId{"tax1"}}))) ==
        Ids{"tax2", "cat2", "dog1"});
  RelatedRequest request = like({record("", "cat budget")});
  request.limit = 2;
  CHECK(ids(engine.related(request)) == Ids{"tax2", "tax1"});
  request.unlike = {record("", "budget")};
  CHECK(ids(engine.related(request)) == Ids{"cat2", "cat1"});
  request.unlike = {record("", "budget"), UniqueId{"cat2"}};
  for (const std::string& id : ids(engine.related(request))) CHECK(id != "cat2");
  request.unlike = request.like;
  CHECK(engine.related(request).results.empty());
}

TEST_CASE("a filter is any Xapian query") {
  const test::EngineOf engine;
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

TEST_CASE("titles come from the document data") {
  Record titled = record("a", "one two three");
  titled.title = "On = numbers\nand more";
  const test::EngineOf engine({titled, record("b", "one two"), record("c", "four")});
  CHECK(engine.related(like({UniqueId{"b"}})).results.at(0).title == "On = numbers and more");
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

TEST_CASE("an empty database answers everything with nothing") {
  const test::EngineOf engine(std::vector<Record>{});
  CHECK(engine.status().documents == 0);
  CHECK(engine.related(like({record("", "cat")})).results.empty());
  CHECK(engine.classify(record("", "cat")).tags.empty());
}
