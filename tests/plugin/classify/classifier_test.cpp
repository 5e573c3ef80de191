// Multi-label kNN classification through the C++ face.
#include "plugin/answers/classification.h"

#include <map>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "plugin/input/record.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"

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

TEST_CASE("tags are the labels of similar documents, by their share of the similarity") {
  const Collection collection;
  const Engine engine(collection.path, {});
  ClassifyRequest request;
  request.threshold = 0;
  request.neighbors = true;
  const Classification c =
      engine.classify(record("", "a cat that purrs, a dog, a budget"), request);
  REQUIRE_FALSE(c.neighbors.empty());
  std::map<std::string, double> sums;
  double total = 0;
  for (const Voter& voter : c.neighbors) {
    total += voter.similarity;
    for (const std::string& label : voter.labels) sums[label] += voter.similarity;
  }
  REQUIRE(c.tags.size() == sums.size());
  for (const Tag& tag : c.tags) {
    CHECK(tag.confidence == Approx(sums[tag.label] / total));
    CHECK(tag.confidence >= 0);
    CHECK(tag.confidence <= 1);
  }
  CHECK(labels(c) == Labels{"animals", "pets", "finance"});
}

TEST_CASE("threshold and max_labels limit the tags, the best label is known nevertheless") {
  const Collection collection;
  const Engine engine(collection.path, {});
  const Record text = record("", "cat and budget");
  ClassifyRequest request;
  request.threshold = 0;
  request.max_labels = 1;
  CHECK(engine.classify(text, request).tags.size() == 1);
  request.max_labels = 100;
  request.threshold = 1;
  const Classification unsure = engine.classify(text, request);
  CHECK(unsure.tags.empty());
  REQUIRE(unsure.best);
  CHECK(unsure.best->label == "finance");  // the rarer of the two words
}

TEST_CASE("labels of equal confidence come in byte order") {
  const Collection collection;
  const Engine engine(collection.path, {});
  ClassifyRequest request;
  request.k = 1;
  request.threshold = 0;
  const Classification c = engine.classify(record("", "purrs"), request);
  CHECK(labels(c) == Labels{"animals", "pets"});
  CHECK(c.tags[0].confidence == 1.0);
  CHECK(c.tags[1].confidence == 1.0);
}

TEST_CASE("a document of the index does not vote for itself") {
  test::TemporaryDirectory directory;
  test::write(directory / "db", {record("a", "cat dog", {"right"}),
                                 record("b", "cat dog", {"left"}), record("c", "tax", {"other"})});
  const Engine engine(directory / "db", {});
  CHECK(labels(engine.classify(UniqueId{"a"})) == Labels{"left"});
  CHECK(labels(engine.classify(Docid{2})) == Labels{"right"});
}

TEST_CASE("documents without labels do not vote") {
  test::TemporaryDirectory directory;
  test::write(directory / "db",
              {record("a", "cat dog"), record("b", "cat", {"pets"}), record("c", "x")});
  const Engine engine(directory / "db", {});
  ClassifyRequest request;
  request.k = 1;
  CHECK(labels(engine.classify(record("", "cat dog"), request)) == Labels{"pets"});
}

TEST_CASE("a filter limits the voters") {
  const Collection collection;
  const Engine engine(collection.path, {});
  ClassifyRequest request;
  request.filter = "NOT label:pets";
  CHECK(labels(engine.classify(record("", "cat"), request)) == Labels{"animals"});
}

TEST_CASE("a batch gives what single calls give") {
  const Collection collection;
  const Engine engine(collection.path, {});
  const std::vector<Record> texts = {record("", "cat"), Record{}, record("", "income tax"),
                                     record("", "unheard")};
  const auto batch = engine.classify(texts);
  REQUIRE(batch.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(labels(batch[i]) == labels(engine.classify(texts[i])));
  }
  CHECK(engine.classify(std::vector<Record>{}).empty());
}

TEST_CASE("tags are the same to the last bit whether or not the neighbors are asked for") {
  const Collection collection;
  const Engine engine(collection.path, {});
  ClassifyRequest plain, explained;
  plain.threshold = explained.threshold = 0;
  plain.max_labels = explained.max_labels = GENERATE(1, 2, 100);
  plain.filter = explained.filter = GENERATE("", "label:pets");
  explained.neighbors = true;
  for (const Example& example :
       {Example{UniqueId{"cat1"}}, Example{record("", "a cat that purrs, a dog, a budget")}}) {
    const Classification a = engine.classify(example, plain);
    const Classification b = engine.classify(example, explained);
    CHECK(a.neighbors.empty());
    REQUIRE(labels(a) == labels(b));
    for (std::size_t i = 0; i < a.tags.size(); ++i)
      CHECK(a.tags[i].confidence == b.tags[i].confidence);
    REQUIRE(a.best.has_value() == b.best.has_value());
    if (a.best) CHECK((a.best->label == b.best->label && a.best->confidence == b.best->confidence));
  }
}

TEST_CASE("scores are all labels that got a vote, whatever the threshold and the limit") {
  const Collection collection;
  const Engine engine(collection.path, {});
  const Record text = record("", "a cat that purrs, a dog, a budget");
  ClassifyRequest all, some;
  all.threshold = 0;
  all.max_labels = 100;
  some.threshold = 0.4;
  some.max_labels = 1;
  some.scores = true;
  some.neighbors = GENERATE(false, true);
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

TEST_CASE("nothing known means no tags") {
  const Collection collection;
  const Engine engine(collection.path, {});
  const Classification c = engine.classify(record("", "xylophone"));
  CHECK(c.tags.empty());
  CHECK_FALSE(c.best);
  Settings settings;
  settings.labels.prefix = "XNONE";
  CHECK(Engine(collection.path, settings).classify(record("", "cat")).tags.empty());
}

TEST_CASE("k below 1 is refused, k above the number of documents takes them all") {
  const Collection collection;
  const Engine engine(collection.path, {});
  ClassifyRequest request;
  request.k = 0;
  CHECK_THROWS_AS(engine.classify(record("", "cat"), request), Error);
  request.k = 1000000;
  CHECK(labels(engine.classify(record("", "cat"), request)).at(0) == "animals");
}

TEST_CASE("given terms are taken as they are") {
  test::TemporaryDirectory directory;
  Record a = record("a", "");
  a.terms = TermBag{{"t1", 3}, {"t2", 1}};
  a.labels = {"x"};
  Record b = record("b", "");
  b.terms = TermBag{{"t9", 1}};
  b.labels = {"y"};
  test::write(directory / "db", {a, b});
  const Engine engine(directory / "db", {});
  Record query;
  query.terms = TermBag{{"t1", 1}};
  CHECK(labels(engine.classify(query)) == Labels{"x"});
}

TEST_CASE("labels of classify.never are never given, and leave their room to others") {
  const Collection collection;
  Settings settings;
  settings.classify.never = {"animals"};
  const Engine engine(collection.path, settings);
  ClassifyRequest request;
  request.max_labels = 1;
  const Classification c = engine.classify(record("", "a cat purrs"), request);
  CHECK(labels(c) == Labels{"pets"});
  CHECK(c.best->label == "pets");
  engine.cross_validate({}, {}, [](const auto&, const Classification& prediction) {
    for (const Tag& tag : prediction.tags) CHECK(tag.label != "animals");
  });
}
