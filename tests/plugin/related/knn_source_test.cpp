// Similarity as a weight in Xapian queries, against matches that the test puts together by hand:
// the weights of a text query that runs alone, and the similarities of Engine::related().
#include "plugin/related/knn_source.h"

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/shards_and_source.h"

using namespace kindred;
using namespace kindred::test;
using Op = Xapian::Query::op;
using Xapian::Query;

namespace {

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

}  // namespace

TEST_CASE("a source alone gives the related documents, weighted by similarity") {
  for (const unsigned count : {1, 2, 3, 4}) {
    ShardsAndSource f(count);
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
  const ShardsAndSource one(1), four(4);
  CHECK(one.similar == four.similar);
  CHECK(one.similar.begin()->first > 0);
  CHECK(four.source.neighborhood().shards.size() == 4);
}

TEST_CASE("every operator of Xapian combines similarity with other weights") {
  for (const unsigned count : {1, 2, 3, 4}) {
    ShardsAndSource f(count);
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
    ShardsAndSource f(count);
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
  ShardsAndSource f(3);
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
  const ShardsAndSource f(2);
  RelatedRequest request = f.request;
  request.limit = 9;
  request.unlike = {Docid{5}};
  request.filter = "w1";
  request.min_similarity = 0.1;
  KnnSource source(f.engine.neighborhood(request));
  const Weights expected = similarities(f.engine, request);
  REQUIRE_FALSE(expected.empty());
  CHECK(answer(f.database, Query(&source)) == ranked(expected));
  request.like.clear();
  CHECK(code_of([&] { f.engine.neighborhood(request); }) == Errc::kInvalidArgument);
}

TEST_CASE("the maximum weight and the numbers of documents are those of the shard") {
  const ShardsAndSource f(3);
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
