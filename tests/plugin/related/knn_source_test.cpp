// Similarity as a weight in Xapian queries, against matches that the test puts together by hand:
// the weights of a text query that runs alone, and the similarities of Engine::related().
#include "plugin/related/knn_source.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using Op = Xapian::Query::op;
using Xapian::Query;

namespace {

constexpr Xapian::docid kDocuments = 240;
constexpr Xapian::valueno kYear = 0, kGroup = 1, kOrder = 2;
const std::string kText = "Zw3";  // a single term: sums of two weights have one rounding
const std::string kFilter = "XFILTER";

std::string year(unsigned number) { return Xapian::sortable_serialise(number); }

/// A document of random words. The same number gives the same document in any number of shards.
Xapian::Document random_document(Xapian::docid number) {
  std::mt19937 random(number);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  Xapian::Document document;
  for (int i = 0; i < 12; ++i) {
    const unsigned most = 1 + below(40);
    const std::string term = "Zw" + std::to_string(below(most));
    document.add_term(term, 1 + below(3));
  }
  if (below(3) == 0) document.add_boolean_term(kFilter);
  document.add_value(kYear, year(1990 + below(30)));
  if (below(5) != 0) document.add_value(kGroup, "group" + std::to_string(below(25)));
  document.add_value(kOrder, year(below(9)));
  return document;
}

/// Random documents with the same docids in any number of shards. Every seventh docid is missing.
struct Shards {
  explicit Shards(unsigned count) {
    for (unsigned shard = 0; shard < count; ++shard) {
      writers.emplace_back(path(shard), Xapian::DB_CREATE);
      for (Xapian::docid docid = shard + 1; docid <= kDocuments; docid += count) {
        if (docid % 7 != 0)
          writers.back().replace_document(local(docid, count), random_document(docid));
      }
      writers.back().commit();
    }
  }
  static Xapian::docid local(Xapian::docid docid, unsigned count) {
    return (docid - 1) / count + 1;
  }
  std::string path(unsigned shard) const { return directory / std::to_string(shard); }
  Xapian::Database open() const {
    Xapian::Database database;
    for (unsigned i = 0; i < writers.size(); ++i) database.add_database(Xapian::Database(path(i)));
    return database;
  }
  void remove(Xapian::docid docid) {
    const auto count = static_cast<unsigned>(writers.size());
    Xapian::WritableDatabase& writer = writers[(docid - 1) % count];
    writer.delete_document(local(docid, count));
    writer.commit();
  }

  test::TemporaryDirectory directory;
  std::vector<Xapian::WritableDatabase> writers;
};

RelatedRequest like(Xapian::docid docid, std::int64_t k = 60) {
  RelatedRequest request;
  request.like = {Docid{docid}};
  request.k = k;
  request.threshold = 0;
  return request;
}

using Weights = std::map<Xapian::docid, double>;
using Match = std::pair<Xapian::docid, double>;
using Matches = std::vector<Match>;

Weights similarities(const Engine& engine, const RelatedRequest& request) {
  Weights weights;
  for (const Related& related : engine.related(request).results)
    weights[related.docid] = related.similarity;
  return weights;
}

Matches ranked(const Weights& weights) {
  Matches matches(weights.begin(), weights.end());
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.second > b.second; });
  return matches;
}

Matches matches_of(const Xapian::MSet& mset) {
  Matches matches;
  for (auto it = mset.begin(); it != mset.end(); ++it) matches.emplace_back(*it, it.get_weight());
  return matches;
}

Matches matches_of(Xapian::Enquire& enquire, Xapian::doccount first, Xapian::doccount most) {
  return matches_of(enquire.get_mset(first, most));
}

Matches answer(const Xapian::Database& database, const Query& query) {
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  return matches_of(enquire, 0, kDocuments);
}

Weights weights_of(const Xapian::Database& database, const Query& query) {
  const Matches matches = answer(database, query);
  return {matches.begin(), matches.end()};
}

Matches part(const Matches& all, std::size_t first, std::size_t most) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(std::min(first, all.size()));
  return {begin,
          begin + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(most), all.end() - begin)};
}

/// The documents of `of` that `take` accepts, each with the weight that it gives.
Weights combine(const std::vector<const Weights*>& of,
                const std::function<bool(Xapian::docid)>& take,
                const std::function<double(Xapian::docid)>& weight) {
  Weights all;
  for (const Weights* weights : of) {
    for (const auto& [docid, unused] : *weights)
      if (take(docid)) all[docid] = weight(docid);
  }
  return all;
}

/// An engine over shards, a source of it, and what a test needs to put answers together.
struct Fixture {
  explicit Fixture(unsigned count, Xapian::docid example = 12)
      : shards(count),
        database(shards.open()),
        engine(database, {}),
        request(like(example)),
        source(engine.neighborhood(request)),
        similar(similarities(engine, request)),
        text(weights_of(database, Query(kText))),
        filtered(weights_of(database, Query(kFilter))) {}

  double sum(Xapian::docid docid, double factor = 1) const {
    const auto of = [&](const Weights& weights) {
      const auto found = weights.find(docid);
      return found == weights.end() ? 0.0 : found->second;
    };
    return of(text) + factor * of(similar);
  }

  Shards shards;
  Xapian::Database database;
  Engine engine;
  RelatedRequest request;
  KnnSource source;
  Weights similar, text, filtered;
};

/// Checks a query whole, in pages, and cut to the best few, which lets the matcher prune.
void check_answer(const Xapian::Database& database, const Query& query, const Weights& expected) {
  INFO(query.get_description());
  const Matches all = ranked(expected);
  REQUIRE_FALSE(all.empty());
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  CHECK(matches_of(enquire, 0, kDocuments) == all);
  for (const Xapian::doccount most : {1, 2, 5, 20})
    CHECK(matches_of(enquire, 0, most) == part(all, 0, most));
  Matches pages;
  for (Xapian::doccount first = 0; first < all.size(); first += 7) {
    const Matches page = matches_of(enquire, first, 7);
    pages.insert(pages.end(), page.begin(), page.end());
  }
  CHECK(pages == all);
  const Xapian::MSet none = enquire.get_mset(0, 0);
  CHECK(none.get_matches_lower_bound() <= all.size());
  CHECK(none.get_matches_upper_bound() >= all.size());
  CHECK(none.get_max_possible() >= all.front().second);
}

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

TEST_CASE("a source alone gives the related documents, weighted by similarity") {
  for (const unsigned count : {1, 2, 3, 4}) {
    Fixture f(count);
    REQUIRE(f.similar.size() == 60);
    check_answer(f.database, Query(&f.source), f.similar);
    Xapian::Enquire enquire(f.database);
    enquire.set_query(Query(&f.source));
    const Xapian::MSet none = enquire.get_mset(0, 0);
    CHECK(none.get_matches_lower_bound() == 60);
    CHECK(none.get_matches_upper_bound() == 60);
  }
}

TEST_CASE("the answers do not depend on the number of shards") {
  const Fixture one(1), four(4);
  CHECK(one.similar == four.similar);
  CHECK(one.similar.begin()->first > 0);
  CHECK(four.source.neighborhood().shards.size() == 4);
}

TEST_CASE("every operator of Xapian combines similarity with other weights") {
  for (const unsigned count : {1, 2, 3, 4}) {
    Fixture f(count);
    const Query source(&f.source), text(kText), filter(kFilter);
    const auto any = [](Xapian::docid) { return true; };
    const auto in = [](const Weights& w) {
      return [&w](Xapian::docid d) { return w.contains(d); };
    };
    const auto out = [](const Weights& w) {
      return [&w](Xapian::docid d) { return !w.contains(d); };
    };
    const auto both = [&](Xapian::docid d) { return f.sum(d); };
    const auto by_similarity = [&](Xapian::docid d) { return f.similar.at(d); };
    const auto by_text = [&](Xapian::docid d) { return f.text.at(d); };
    const auto check = [&](Op op, const Query& a, const Query& b, const Weights& expected) {
      check_answer(f.database, Query(op, a, b), expected);
    };
    check(Query::OP_OR, text, source, combine({&f.text, &f.similar}, any, both));
    check(Query::OP_AND, text, source, combine({&f.text}, in(f.similar), both));
    check(Query::OP_FILTER, source, filter, combine({&f.similar}, in(f.filtered), by_similarity));
    check(Query::OP_FILTER, text, source, combine({&f.text}, in(f.similar), by_text));
    check(Query::OP_AND_NOT, source, filter, combine({&f.similar}, out(f.filtered), by_similarity));
    check(Query::OP_AND_NOT, text, source, combine({&f.text}, out(f.similar), by_text));
    check(Query::OP_AND_MAYBE, source, text, combine({&f.similar}, any, both));
    check(Query::OP_AND_MAYBE, text, source, combine({&f.text}, any, both));
    for (const double factor : {0.25, 3.0, 20.0}) {
      const Query scaled(Query::OP_SCALE_WEIGHT, source, factor);
      check_answer(f.database, scaled, combine({&f.similar}, any, [&](Xapian::docid d) {
                     return factor * f.similar.at(d);
                   }));
      check(Query::OP_OR, text, scaled,
            combine({&f.text, &f.similar}, any, [&](Xapian::docid d) { return f.sum(d, factor); }));
    }
  }
}

TEST_CASE("value ranges, sorting and collapsing work on similar documents") {
  for (const unsigned count : {1, 2, 3, 4}) {
    Fixture f(count);
    const auto value = [&](Xapian::docid docid, Xapian::valueno slot) {
      return f.database.get_document(docid).get_value(slot);
    };
    const auto recent = [&](Xapian::docid docid) {
      return value(docid, kYear) >= year(1995) && value(docid, kYear) <= year(2009);
    };
    const Query range(Query::OP_VALUE_RANGE, kYear, year(1995), year(2009));
    const Weights expected =
        combine({&f.similar}, recent, [&](Xapian::docid docid) { return f.similar.at(docid); });
    CHECK(expected.size() < f.similar.size());
    check_answer(f.database, Query(Query::OP_FILTER, Query(&f.source), range), expected);

    Xapian::Enquire enquire(f.database);
    enquire.set_query(Query(&f.source));
    Matches sorted = ranked(f.similar);
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Match& a, const Match& b) {
      return value(a.first, kOrder) < value(b.first, kOrder);
    });
    enquire.set_sort_by_value_then_relevance(kOrder, false);
    CHECK(matches_of(enquire, 0, kDocuments) == sorted);
    CHECK(matches_of(enquire, 5, 10) == part(sorted, 5, 10));

    std::set<std::string> seen;
    Matches collapsed;
    for (const Match& match : ranked(f.similar)) {
      const std::string group = value(match.first, kGroup);
      if (group.empty() || seen.insert(group).second) collapsed.push_back(match);
    }
    CHECK(collapsed.size() < f.similar.size());
    enquire.set_sort_by_relevance();
    enquire.set_collapse_key(kGroup);
    CHECK(matches_of(enquire, 0, kDocuments) == collapsed);
    CHECK(matches_of(enquire, 0, 6) == part(collapsed, 0, 6));
  }
}

TEST_CASE("a text of several words and similarity add up") {
  Fixture f(3);
  const Query text(Query::OP_OR, Query("Zw2"), Query("Zw9"));
  const Weights words = weights_of(f.database, text);
  const Matches found = answer(f.database, Query(Query::OP_OR, text, Query(&f.source)));
  std::set<Xapian::docid> docids;
  for (const auto& [docid, weight] : found) {
    docids.insert(docid);
    const double by_words = words.contains(docid) ? words.at(docid) : 0;
    const double by_similarity = f.similar.contains(docid) ? f.similar.at(docid) : 0;
    CHECK(weight == Approx(by_words + by_similarity).epsilon(1e-12));
  }
  std::set<Xapian::docid> expected;
  for (const auto& [docid, unused] : words) expected.insert(docid);
  for (const auto& [docid, unused] : f.similar) expected.insert(docid);
  CHECK(docids == expected);
}

TEST_CASE("k, threshold, filter and counter-examples choose the documents as for related()") {
  const Fixture f(2);
  RelatedRequest request = f.request;
  request.k = 9;
  request.unlike = {Docid{5}};
  request.filter = "w1";
  request.threshold = 0.1;
  KnnSource source(f.engine.neighborhood(request));
  const Weights expected = similarities(f.engine, request);
  REQUIRE_FALSE(expected.empty());
  CHECK(answer(f.database, Query(&source)) == ranked(expected));
  request.like.clear();
  CHECK(code_of([&] { f.engine.neighborhood(request); }) == Errc::kInvalidArgument);
}

TEST_CASE("the maximum weight and the numbers of documents are those of the shard") {
  const Fixture f(3);
  for (Xapian::docid shard = 0; shard < 3; ++shard) {
    Weights local;
    double largest = 0;
    for (const auto& [docid, similarity] : f.similar) {
      if ((docid - 1) % 3 != shard) continue;
      local[(docid - 1) / 3 + 1] = similarity;
      largest = std::max(largest, similarity);
    }
    const std::unique_ptr<KnnSource> source(f.source.clone());
    source->init(Xapian::Database(f.shards.path(shard)));
    CHECK(source->get_maxweight() == largest);
    CHECK(source->get_termfreq_min() == local.size());
    CHECK(source->get_termfreq_est() == local.size());
    CHECK(source->get_termfreq_max() == local.size());
    Weights found;
    for (source->next(0); !source->at_end(); source->next(0))
      found[source->get_docid()] = source->get_weight();
    CHECK(found == local);
    source->init(Xapian::Database(f.shards.path(shard)));  // starts over
    for (Xapian::docid docid = 1; docid <= kDocuments; docid += 2) {
      const auto next = local.lower_bound(docid);
      source->skip_to(docid, 0);
      REQUIRE(source->at_end() == (next == local.end()));
      if (source->at_end()) break;
      CHECK(source->get_docid() == next->first);
    }
  }
}

TEST_CASE("shards are known in any order, and alone") {
  Fixture f(3);
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
    Fixture f(count);
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
  Fixture f(2);
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
    Fixture f(count);
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
  const Fixture f(2);
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
