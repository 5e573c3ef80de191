// The documents of an index classify each other, through the C++ face.
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::record;

namespace {

using Labels = std::vector<std::string>;
using Shares = std::vector<std::pair<std::string, double>>;
using Told = std::vector<std::pair<Labels, Shares>>;

Shares shares(const Classification& classification) {
  Shares result;
  for (const Tag& tag : classification.scores) result.emplace_back(tag.label, tag.confidence);
  return result;
}

ClassifyRequest with_scores() {
  ClassifyRequest request;
  request.scores = true;
  return request;
}

Told cross_validated(const Engine& engine, const CrossValidation& how,
                     const ClassifyRequest& request = with_scores()) {
  Told told;
  engine.cross_validate(how, request, [&](const Labels& truth, const Classification& prediction) {
    told.emplace_back(truth, shares(prediction));
  });
  return told;
}

}  // namespace

TEST_CASE("leave-one-out gives each labeled document what classifying it gives") {
  const test::EngineOf engine;
  const Told told = cross_validated(engine, {});
  REQUIRE(told.size() == 6);  // one has no label
  const std::vector<Record> records = test::small_collection();
  for (std::size_t i = 0; i < told.size(); ++i) {
    CHECK(told[i].first == records[i].labels);
    CHECK(told[i].second == shares(engine.classify(UniqueId{records[i].id}, with_scores())));
  }
}

TEST_CASE("documents of one fold do not vote for each other") {
  std::vector<Record> records;
  for (int i = 0; i < 8; ++i) {
    records.push_back(record("d" + std::to_string(i), "guitar and moon", {std::to_string(i)}));
  }
  records.push_back(record("other", "Silence"));
  const test::EngineOf engine(records);
  ClassifyRequest request = with_scores();
  request.neighbors = 100;
  const Told told = cross_validated(engine, {2, 5}, request);
  REQUIRE(told.size() == 8);
  std::set<std::string> first;
  for (std::size_t i = 0; i < 4; ++i) first.insert(told[i].first.front());
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(told[i].second.size() == 4);
    for (const auto& [label, share] : told[i].second) CHECK((first.count(label) == 1) == (i >= 4));
  }
}

TEST_CASE("a seed deals the same folds again, another seed others") {
  const test::EngineOf engine;
  CHECK(cross_validated(engine, {2, 1}) == cross_validated(engine, {2, 1}));
  std::set<Told> dealt;
  for (std::uint64_t seed = 0; seed < 8; ++seed) dealt.insert(cross_validated(engine, {2, seed}));
  CHECK(dealt.size() > 1);
}

TEST_CASE("a filter limits the voters in cross-validation too") {
  const test::EngineOf engine;
  ClassifyRequest request = with_scores();
  request.filter = "NOT label:pets";
  const Told told = cross_validated(engine, {GENERATE(0, 2), 1}, request);
  CHECK(told.size() == 6);
  for (const auto& [truth, scores] : told) {
    for (const auto& [label, share] : scores) CHECK(label != "pets");
  }
}

TEST_CASE("an index without labels has nothing to cross-validate, and one fold is refused") {
  const test::EngineOf engine({record("a", "cat"), record("b", "cat")});
  CHECK(cross_validated(engine, {GENERATE(0, 5), 0}).empty());
  CHECK_THROWS_AS(cross_validated(engine, {1, 0}), Error);
  CHECK_THROWS_AS(cross_validated(engine, {-2, 0}), Error);
  CHECK(engine.labels().empty());
}
