// Related documents by the documents that a query finds, through the C++ face.
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::Collection;
using test::record;

namespace {

/// The best documents of a query by the stock search of Xapian. `terms`: as the index spells them.
std::vector<Example> best_by_xapian(const std::string& path, const std::vector<std::string>& terms,
                                    Xapian::doccount count) {
  const Xapian::Database database(path);
  Xapian::Enquire enquire(database);
  enquire.set_query(Xapian::Query(Xapian::Query::OP_AND, terms.begin(), terms.end()));
  const Xapian::MSet matches = enquire.get_mset(0, count);
  std::vector<Example> examples;
  for (auto it = matches.begin(); it != matches.end(); ++it) examples.emplace_back(Docid{*it});
  return examples;
}

}  // namespace

TEST_CASE("the best documents of a query by BM25 are examples") {
  const Collection collection({record("cat3", "cat cat cat"), record("cat4", "The cat and a mouse"),
                               record("mouse1", "A mouse runs from the warm house")});
  const Engine engine(collection.path, {});
  RelatedRequest by_query, by_docids;
  for (const std::int64_t top : {1, 2, 3, 100}) {
    by_query.like_query = "cats";
    by_query.like_top = top;
    by_docids.like = best_by_xapian(collection.path, {"Zcat"}, static_cast<Xapian::doccount>(top));
    CHECK(by_docids.like.size() == static_cast<std::size_t>(std::min<std::int64_t>(top, 5)));
    const auto found = engine.related(by_query).results;
    const auto expected = engine.related(by_docids).results;
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].docid == expected[i].docid);
      CHECK(found[i].similarity == expected[i].similarity);
    }
    CHECK(engine.neighborhood(by_query).documents.size() == found.size());
  }
  by_query.like_top = 1;
  for (const api::RelatedDocument& related : engine.related(by_query).results)
    CHECK(related.id != "cat3");
}

TEST_CASE("a request has at most 1,000 examples and counter-examples") {
  const test::EngineOf engine;
  RelatedRequest request;
  request.like.assign(990, UniqueId{"cat1"});
  request.unlike.assign(10, UniqueId{"tax1"});
  CHECK_NOTHROW(engine.related(request));
  request.unlike.push_back(UniqueId{"tax1"});
  CHECK(test::says(test::message_of([&] { engine.related(request); }),
                   {"at most 1000 examples", "found 1001"}));
}
