// Related documents by a question that moves toward its nearest.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::record;

namespace {

constexpr std::int64_t kAll = 1000;

RelatedRequest like(const Example& example, bool feedback, std::int64_t limit = kAll) {
  RelatedRequest request = test::like({example}, limit);
  request.feedback = feedback;
  return request;
}

std::map<std::string, float> similarities(const std::vector<api::RelatedDocument>& documents) {
  std::map<std::string, float> of_id;
  for (const api::RelatedDocument& document : documents) of_id[document.id] = document.similarity;
  return of_id;
}

/// Documents on boats, some of which say "ship", and others. The first says "boat" alone.
std::vector<Record> boats() {
  std::vector<Record> records = {record("asked", "boat quay", {})};
  for (int i = 0; i < 10; ++i)
    records.push_back(record("both" + std::to_string(i), "boat ship sail", {}));
  records.push_back(record("ship", "ship sail quay meadow", {}));
  records.push_back(record("quay", "quay market stall bread", {}));
  records.push_back(record("other", "ship sail harbor", {}));
  for (int i = 0; i < 20; ++i)
    records.push_back(record("far" + std::to_string(i), "garden rose tulip", {}));
  return records;
}

}  // namespace

TEST_CASE("feedback changes the order, and leaves the similarities what they are") {
  const test::EngineOf engine(test::topical_documents(200), test::untuned());
  for (const Example& example : {Example(UniqueId{"d3"}), Example(record("", "topic1w3x", {}))}) {
    const auto plain = engine.related(like(example, false)).results;
    const auto moved = engine.related(like(example, true)).results;
    CHECK(similarities(moved) == similarities(plain));

    std::vector<std::string> by_similarity;
    std::vector<std::string> by_score;
    for (const api::RelatedDocument& document : plain) {
      CHECK(document.rank_score == document.similarity);
      by_similarity.push_back(document.id);
    }
    for (const api::RelatedDocument& document : moved) by_score.push_back(document.id);
    CHECK(by_similarity != by_score);
    CHECK(std::ranges::is_sorted(moved, [](const auto& a, const auto& b) {
      return a.rank_score != b.rank_score ? a.rank_score > b.rank_score : a.docid < b.docid;
    }));
  }
}

TEST_CASE("feedback prefers what is like the nearest, and shows nothing without a common term") {
  const test::EngineOf engine(boats(), test::untuned());
  const auto found = engine.related(like(UniqueId{"asked"}, true)).results;
  std::vector<std::string> ids;
  for (const api::RelatedDocument& document : found) ids.push_back(document.id);
  const auto rank = [&](const std::string& id) { return std::ranges::find(ids, id) - ids.begin(); };
  CHECK(rank("ship") < rank("quay"));
  CHECK(rank("other") == std::ssize(ids));
  CHECK(ids.size() == 12);
}

TEST_CASE("limit, least similarity and filter hold of what is shown after it has moved") {
  const test::EngineOf engine(test::topical_documents(200), test::untuned());
  const auto all = engine.related(like(UniqueId{"d3"}, true)).results;
  for (const std::int64_t limit : {1, 7, 50}) {
    const auto first = engine.related(like(UniqueId{"d3"}, true, limit)).results;
    REQUIRE(first.size() == static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].id == all[i].id);
  }

  RelatedRequest request = like(UniqueId{"d3"}, true, 5);
  for (const double least : {0.05, 0.2, 0.3, 0.4, 0.6, 0.9}) {
    request.min_similarity = least;
    std::vector<std::pair<std::string, float>> expected;
    for (const api::RelatedDocument& document : all)
      if (document.similarity >= least && expected.size() < 5)
        expected.emplace_back(document.id, document.rank_score);
    std::vector<std::pair<std::string, float>> found;
    for (const api::RelatedDocument& document : engine.related(request).results)
      found.emplace_back(document.id, document.rank_score);
    INFO("least similarity " << least);
    CHECK(found == expected);
  }
  request.min_similarity = 0;

  // It moves toward the nearest of the filter: the answer is that of an index of these documents.
  request = like(UniqueId{"d3"}, true);
  request.filter = "label:label0";
  for (const api::RelatedDocument& document : engine.related(request).results)
    CHECK(std::ranges::find(document.labels, "label0") != document.labels.end());
}

TEST_CASE("many documents at once get the answers that each gets alone") {
  const test::EngineOf engine(test::topical_documents(200), test::on_cpu(3));
  std::vector<Xapian::docid> docids;
  for (Xapian::docid docid = 1; docid <= 200; ++docid) docids.push_back(docid);
  RelatedRequest request;
  request.limit = 9;
  request.explain = true;
  request.min_similarity = GENERATE(0, 0.3);

  const auto together = engine.related_each(docids, request);
  REQUIRE(together.size() == docids.size());
  for (std::size_t i = 0; i < docids.size(); ++i) {
    request.like = {Docid{docids[i]}};
    const auto alone = engine.related(request).results;
    REQUIRE(together[i].results.size() == alone.size());
    for (std::size_t j = 0; j < alone.size(); ++j) {
      CHECK(together[i].results[j].docid == alone[j].docid);
      CHECK(together[i].results[j].rank_score == alone[j].rank_score);
      CHECK(together[i].results[j].similarity == alone[j].similarity);
    }
  }
}

TEST_CASE("an explanation names the neighbor that brought a word") {
  const test::EngineOf engine(boats(), test::untuned());
  RelatedRequest request = like(UniqueId{"asked"}, true);
  request.explain = true;
  for (const api::RelatedDocument& document : engine.related(request).results) {
    double sum = 0;
    for (const api::TermContribution& term : *document.terms) sum += term.contribution;
    CHECK(std::abs(sum - document.similarity) < 1e-5);

    REQUIRE(document.neighbor_terms);
    for (const api::NeighborTerm& term : *document.neighbor_terms) {
      CHECK(term.contribution > 0);
      CHECK(term.docid != document.docid);
      CHECK(std::ranges::find(*document.terms, term.term, &api::TermContribution::term) ==
            document.terms->end());
    }
    if (document.id != "ship") continue;
    REQUIRE(document.neighbor_terms->size() == 2);
    for (const api::NeighborTerm& term : *document.neighbor_terms) CHECK(term.id == "both0");
    std::set<std::string> words;
    for (const api::NeighborTerm& term : *document.neighbor_terms) words.insert(term.word);
    CHECK(words == std::set<std::string>{"ship", "sail"});
  }
}

TEST_CASE("a long text finds itself first, whatever short neighbors bring") {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "long" + std::to_string(random() % 3000) + "x ";
  std::vector<Record> records = {record("long", text, {})};
  for (int i = 0; i < 40; ++i)
    records.push_back(
        record("short" + std::to_string(i),
               "long" + std::to_string(i) + "x few words here " + std::to_string(i % 4) + "y", {}));
  const test::EngineOf engine(records, test::untuned());
  const auto found = engine.related(like(record("", text, {}), true)).results;
  REQUIRE(!found.empty());
  CHECK(found.front().id == "long");
  CHECK(found.front().similarity > .999f);
}

TEST_CASE("what shares only a term that the question loses when it moves is still found") {
  std::vector<Record> records = {record("asked", "strong weak", {})};
  for (int i = 0; i < 10; ++i) {
    std::string text = "strong";
    for (int word = 0; word < 8; ++word) text += " heavy" + std::to_string(8 * i + word) + "x";
    records.push_back(record("near" + std::to_string(i), text, {}));
  }
  for (int i = 0; i < 300; ++i)
    records.push_back(record("weak" + std::to_string(i), "weak own" + std::to_string(i) + "x", {}));

  Settings settings = test::untuned();
  settings.weighting.lift = false;
  const test::EngineOf engine(records, settings);
  const auto moved = engine.related(like(UniqueId{"asked"}, true)).results;
  CHECK(moved.size() == 310);
  CHECK(moved.back().rank_score == 0);
  CHECK(similarities(moved) ==
        similarities(engine.related(like(UniqueId{"asked"}, false)).results));
}
