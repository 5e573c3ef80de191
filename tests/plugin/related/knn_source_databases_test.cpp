// Which databases a KnnSource accepts, which documents it finds there, and what it sends to another
// process.
#include <nlohmann/json.hpp>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/shards_and_source.h"

using namespace kindred;
using namespace kindred::test;
using Xapian::Query;

namespace {

template <typename Call>
std::string xapian_error(const Call& call) {
  try {
    call();
  } catch (const Xapian::Error& e) {
    CHECK(e.get_msg().size() > 20);
    return e.get_type();
  }
  return "";
}

}  // namespace

TEST_CASE("shards are known in any order, and alone") {
  ShardsAndSource f(3);
  Xapian::Database mixed(f.shards.path(2));
  mixed.add_database(Xapian::Database(f.shards.path(0)));
  const auto original = [](Xapian::docid docid) {
    const Xapian::docid shard = (docid - 1) % 2 == 0 ? 2 : 0;
    return (docid - 1) / 2 * 3 + shard + 1;
  };
  const Matches found = answer(mixed, Query(&f.source));
  REQUIRE(found.size() > 20);
  for (const auto& [docid, weight] : found) CHECK(weight == f.similar.at(original(docid)));
}

TEST_CASE("a stub file is a database of its shards") {
  const Shards shards(3);
  const std::string stub = shards.directory / "stub";
  std::ofstream file(stub);
  for (unsigned i = 0; i < 3; ++i) file << "auto " << shards.path(i) << '\n';
  file.close();
  const Engine engine(stub, {});
  KnnSource source(engine.neighborhood(like(12)));
  check_answer(Xapian::Database(stub), Query(&source), similarities(engine, like(12)));
  check_answer(shards.open(), Query(&source), similarities(engine, like(12)));
}

TEST_CASE("a document that was deleted since the snapshot does not match, a new one neither") {
  for (const unsigned count : {1, 3}) {
    ShardsAndSource f(count);
    const Matches before = ranked(f.similar);
    f.shards.remove(before[0].first);
    f.shards.remove(before[7].first);
    f.similar.erase(before[0].first);
    f.similar.erase(before[7].first);
    f.shards.writers[0].replace_document(500, random_document(12));
    f.shards.writers[0].commit();
    Xapian::Database fresh = f.shards.open();
    check_answer(fresh, Query(&f.source), f.similar);
    CHECK(f.engine.refresh());
    KnnSource source(f.engine.neighborhood(f.request));
    CHECK(answer(fresh, Query(&source)).front().first == (500 - 1) * count + 1);
  }
}

TEST_CASE("another database is refused") {
  ShardsAndSource f(2);
  const Shards others(1);
  const auto ask = [&](const Xapian::Database& database) {
    return [&] { answer(database, Query(&f.source)); };
  };
  CHECK(xapian_error(ask(others.open())) == "InvalidOperationError");
  Xapian::Database more = f.shards.open();
  more.add_database(others.open());
  CHECK(xapian_error(ask(more)) == "InvalidOperationError");
}

TEST_CASE("a database in memory works if it is a single one") {
  Xapian::WritableDatabase one("", Xapian::DB_BACKEND_INMEMORY);
  Xapian::WritableDatabase two("", Xapian::DB_BACKEND_INMEMORY);
  for (Xapian::docid docid = 1; docid <= 20; ++docid) {
    one.add_document(random_document(docid));
    two.add_document(random_document(docid + 20));
  }
  const Engine engine(one, {});
  KnnSource source(engine.neighborhood(like(1)));
  CHECK(answer(one, Query(&source)) == ranked(similarities(engine, like(1))));

  Xapian::Database both;
  both.add_database(one);
  both.add_database(two);
  const Engine sharded(both, {});
  const Neighborhood neighborhood = sharded.neighborhood(like(1));
  CHECK(code_of([&] { KnnSource{neighborhood}; }, "UUID") == Errc::kInvalidArgument);
}

TEST_CASE("the same shard twice is refused") {
  const Shards shards(1);
  Xapian::Database twice = shards.open();
  twice.add_database(shards.open());
  const Engine engine(twice, {});
  const Neighborhood neighborhood = engine.neighborhood(like(1));
  CHECK(code_of([&] { KnnSource{neighborhood}; }, "UUID") == Errc::kInvalidArgument);
}

TEST_CASE("a query with a source survives serialization") {
  for (const unsigned count : {1, 3}) {
    ShardsAndSource f(count);
    Xapian::Registry registry;
    registry.register_posting_source(KnnSource());
    const Query query(Query::OP_OR, Query(kText), Query(&f.source));
    const Query copy = Query::unserialise(query.serialise(), registry);
    CHECK(answer(f.database, copy) == answer(f.database, query));
    CHECK(registry.get_posting_source("kindred::KnnSource") != nullptr);
    CHECK(copy.get_description().find("60 documents") != std::string::npos);
    CHECK(f.source.serialise().size() < 60 * 8 + count * 40 + 60);
  }
}

TEST_CASE("bytes that no source wrote are refused") {
  const ShardsAndSource f(2);
  const std::string bytes = f.source.serialise();
  const KnnSource prototype;
  const auto read = [&](const std::string& text) {
    return xapian_error([&] { delete prototype.unserialise(text); });
  };
  CHECK(read(bytes).empty());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    REQUIRE(read(bytes.substr(0, size)) == "SerialisationError");
  CHECK(read(bytes + "x") == "SerialisationError");
  for (
      const std::string json :
      {"null", "[]", "{}", R"({"version":1})",
       R"({"version":2,"revision":0,"shards":["a"],"distances":[],"similarities":[]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[1],"similarities":[]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[0],"similarities":[0.5]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[-1],"similarities":[0.5]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[1],"similarities":[-0.5]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[1],"similarities":[1e300]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[1],"similarities":[true]})",
       R"({"version":1,"revision":0,"shards":[],"distances":[1],"similarities":[0.5]})",
       R"({"version":1,"revision":0,"shards":["a","a"],"distances":[1],"similarities":[0.5]})",
       R"({"version":1,"revision":0,"shards":["a"],"distances":[9,4294967295],"similarities":[1,1]})"}) {
    std::string cbor;
    nlohmann::json::to_cbor(nlohmann::json::parse(json), cbor);
    INFO(json);
    CHECK(read(cbor) == "SerialisationError");
  }
}

TEST_CASE("a neighborhood that the host made is checked") {
  Neighborhood made{.revision = 0, .shards = {"a"}, .documents = {{1, 0.5F}, {3, 2.0F}}};
  CHECK(KnnSource(made).neighborhood().documents.size() == 2);
  made.documents.push_back({3, 0.1F});
  CHECK(code_of([&] { KnnSource{made}; }, "ascending") == Errc::kInvalidArgument);
  made.documents.back() = {4, -0.1F};
  CHECK(code_of([&] { KnnSource{made}; }, "docid 4") == Errc::kInvalidArgument);
  made.documents.back().similarity = std::nanf("");
  CHECK(code_of([&] { KnnSource{made}; }, "docid 4") == Errc::kInvalidArgument);
}
