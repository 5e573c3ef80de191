// Multi-label kNN classification through the C++ face.
#include "plugin/engine.h"

#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::Collection;
using test::record;

namespace {

std::vector<std::string> labels(const Classification& classification) {
  std::vector<std::string> names;
  for (const Tag& tag : classification.tags) names.push_back(tag.label);
  return names;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("min_confidence and limit limit the tags, the best label is known nevertheless") {
  const test::EngineOf engine;
  const Record text = record("", "cat and budget");
  ClassifyRequest request;
  request.min_confidence = 0;
  request.limit = 1;
  CHECK(engine.classify(text, request).tags.size() == 1);
  request.limit = 100;
  request.min_confidence = 1;
  const Classification unsure = engine.classify(text, request);
  CHECK(unsure.tags.empty());
  REQUIRE(unsure.best);
  CHECK(unsure.best->label == "finance");  // the rarer of the two words
}

TEST_CASE("labels of equal confidence come in byte order") {
  const test::EngineOf engine;
  ClassifyRequest request;
  request.neighbors = 1;
  request.min_confidence = 0;
  const Classification c = engine.classify(record("", "purrs"), request);
  CHECK(labels(c) == Labels{"animals", "pets"});
  CHECK(c.tags[0].confidence == 0.5);  // what one document says is no certainty
  CHECK(c.tags[1].confidence == 0.5);
}

TEST_CASE("documents without labels do not vote") {
  const test::EngineOf engine(
      {record("a", "cat dog"), record("b", "cat", {"pets"}), record("c", "x")});
  ClassifyRequest request;
  request.neighbors = 1;
  CHECK(labels(engine.classify(record("", "cat dog"), request)) == Labels{"pets"});
}

TEST_CASE("a filter limits the voters") {
  const test::EngineOf engine;
  ClassifyRequest request;
  request.filter = "NOT label:pets";
  CHECK(labels(engine.classify(record("", "cat"), request)) == Labels{"animals"});
}

TEST_CASE("tags are the same to the last bit whether or not the neighbors are asked for") {
  const test::EngineOf engine;
  ClassifyRequest plain, explained;
  plain.min_confidence = explained.min_confidence = 0;
  plain.limit = explained.limit = GENERATE(1, 2, 100);
  plain.filter = explained.filter = GENERATE("", "label:pets");
  explained.voters = true;
  for (const Example& example :
       {Example{UniqueId{"cat1"}}, Example{record("", "a cat that purrs, a dog, a budget")}}) {
    const Classification a = engine.classify(example, plain);
    const Classification b = engine.classify(example, explained);
    CHECK_FALSE(a.voters);
    REQUIRE(labels(a) == labels(b));
    for (std::size_t i = 0; i < a.tags.size(); ++i)
      CHECK(a.tags[i].confidence == b.tags[i].confidence);
    REQUIRE(a.best.has_value() == b.best.has_value());
    if (a.best) CHECK((a.best->label == b.best->label && a.best->confidence == b.best->confidence));
  }
}

TEST_CASE("scores are all labels that got a vote, whatever the threshold and the limit") {
  const test::EngineOf engine;
  const Record text = record("", "a cat that purrs, a dog, a budget");
  ClassifyRequest all, some;
  all.min_confidence = 0;
  all.limit = 100;
  some.min_confidence = 0.4;
  some.limit = 1;
  some.scores = true;
  some.voters = GENERATE(false, true);
  const Classification wanted = engine.classify(text, all);
  const Classification found = engine.classify(text, some);
  CHECK(wanted.scores.empty());
  CHECK(found.tags.size() == 1);
  REQUIRE(found.scores.size() == wanted.tags.size());
  for (std::size_t i = 0; i < wanted.tags.size(); ++i) {
    CHECK(found.scores[i].label == wanted.tags[i].label);
    CHECK(found.scores[i].confidence == wanted.tags[i].confidence);
  }
}

TEST_CASE("given terms are taken as they are") {
  Record a = record("a", "");
  a.terms = TermBag{{"t1", 3}, {"t2", 1}};
  a.labels = {"x"};
  Record b = record("b", "");
  b.terms = TermBag{{"t9", 1}};
  b.labels = {"y"};
  const test::EngineOf engine({a, b});
  Record query;
  query.terms = TermBag{{"t1", 1}};
  CHECK(labels(engine.classify(query)) == Labels{"x"});
}

TEST_CASE("labels of classify.never are never given, and leave their room to others") {
  const Collection collection;
  Settings settings;
  settings.classify.never = {GENERATE(as<std::string>(), "animals", "ani*", "*mals", "*nim*")};
  const Engine engine(collection.path, settings);
  ClassifyRequest request;
  request.limit = 1;
  const Classification c = engine.classify(record("", "a cat purrs"), request);
  CHECK(labels(c) == Labels{"pets"});
  CHECK(c.best->label == "pets");
  engine.cross_validate({}, {}, [](const auto&, const Classification& prediction) {
    for (const Tag& tag : prediction.tags) CHECK(tag.label != "animals");
  });
}
