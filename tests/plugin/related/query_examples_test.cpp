// Related documents by the documents that a query finds, through the C++ face.
#include <algorithm>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::code_of;
using test::Collection;
using test::record;

namespace {

void check_same_results(const RelatedResult& a, const RelatedResult& b) {
  REQUIRE(a.results.size() == b.results.size());
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    CHECK(a.results[i].docid == b.results[i].docid);
    CHECK(a.results[i].similarity == b.results[i].similarity);
  }
}

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
    by_query.query_top = top;
    by_docids.like = best_by_xapian(collection.path, {"Zcat"}, static_cast<Xapian::doccount>(top));
    CHECK(by_docids.like.size() == static_cast<std::size_t>(std::min<std::int64_t>(top, 5)));
    check_same_results(engine.related(by_query), engine.related(by_docids));
    CHECK(engine.neighborhood(by_query).documents.size() ==
          engine.related(by_query).results.size());
  }
  by_query.query_top = 1;
  for (const Related& related : engine.related(by_query).results) CHECK(related.id != "cat3");
}

TEST_CASE("a query gives examples besides others, and counter-examples") {
  const Collection collection;
  const Engine engine(collection.path, {});
  RelatedRequest by_query, by_ids;
  by_query.like = {UniqueId{"dog1"}};
  by_query.like_query = "label:pets";
  by_query.unlike_query = "id:tax1";
  by_ids.like = {UniqueId{"dog1"}, UniqueId{"cat1"}, UniqueId{"cat2"}};
  by_ids.unlike = {UniqueId{"tax1"}};
  by_query.threshold = by_ids.threshold = 0;
  check_same_results(engine.related(by_query), engine.related(by_ids));
  by_query.like_query.clear();
  by_ids.like = {UniqueId{"dog1"}};
  check_same_results(engine.related(by_query), engine.related(by_ids));
}

TEST_CASE("a query that finds no example is an error, and so is one with a mistake") {
  const Collection collection;
  const Engine engine(collection.path, {});
  RelatedRequest request;
  request.like_query = "unicorn";
  CHECK(code_of([&] { engine.related(request); }, "like_query: no document matches 'unicorn'") ==
        Errc::kNotFound);
  CHECK(code_of([&] { engine.neighborhood(request); }) == Errc::kNotFound);
  request.like_query = "cat";
  request.unlike_query = "unicorn";
  CHECK(code_of([&] { engine.related(request); }, "unlike_query: no document") == Errc::kNotFound);
  request.unlike_query = "";
  request.query_top = 0;
  CHECK(code_of([&] { engine.related(request); }, "query_top") == Errc::kInvalidArgument);
  request.query_top = 1;
  for (const char* wrong : {"tag:x", "(cat", "\"cat"}) {
    request.like_query = wrong;
    CHECK(code_of([&] { engine.related(request); }) == Errc::kInvalidArgument);
  }
  request.like_query = "";
  CHECK(code_of([&] { engine.related(request); }, "example") == Errc::kInvalidArgument);
}
