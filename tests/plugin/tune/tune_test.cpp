// What a tuning finds, what it refuses, and that an index can be asked by it.
#include "plugin/reading.h"
#include "plugin/tune/expected_accuracy.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::code_of;
using test::record;

namespace {

/// Documents of labels with the same number of documents each: of 15 words, this share is one of
/// six words of the label, the others are anybody's. If `sources` is not 0, the documents of a
/// label are of so many sources, and of the others every second one is a word of its source.
std::vector<Record> sparse_documents(std::size_t labels, std::size_t each, double share,
                                     std::uint64_t seed, std::size_t sources = 0) {
  std::mt19937_64 random(seed);
  std::vector<Record> records;
  for (std::size_t i = 0; i < labels * each; ++i) {
    const std::string label = std::to_string(i % labels);
    std::string text;
    for (int word = 0; word < 15; ++word) {
      const bool is_own = static_cast<double>(random() % 1000) < 1000 * share;
      const bool is_of_source = sources > 0 && !is_own && random() % 2 == 0;
      const std::string source = std::to_string(seed) + "s" + label + "s" +
                                 std::to_string(sources > 0 ? i / labels % sources : 0) + "w";
      text += is_own         ? "own" + label + "w" + std::to_string(random() % 6) + "x "
              : is_of_source ? "source" + source + std::to_string(random() % 5) + "x "
                             : "any" + std::to_string(random() % 400) + "x ";
    }
    records.push_back(test::record("d" + std::to_string(i), text, {"label" + label}));
  }
  return records;
}

double accuracy_of(const Engine& engine, std::vector<Record> later) {
  std::size_t right = 0;
  for (Record& each : later) each.id.clear();
  const std::vector<Classification> found = engine.classify(later);
  for (std::size_t i = 0; i < later.size(); ++i)
    right += found[i].best && found[i].best->label == later[i].labels.front() ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(later.size());
}

}  // namespace

TEST_CASE("tuning with too few voters says so") {
  const test::EngineOf engine(test::topical_documents(10), test::untuned());
  TuneRequest request;
  request.filter = "label:none";
  CHECK(code_of([&] { tune(engine, request); },
                "filter 'label:none': tuning needs at least two labeled documents, found 0") ==
        Errc::kInvalidArgument);
  const test::EngineOf unlabeled({record("a", "cat"), record("b", "dog")}, test::untuned());
  CHECK(code_of([&] { tune(unlabeled, {}); }, "found 0") == Errc::kInvalidArgument);
}

TEST_CASE("values out of range are refused by their name") {
  const test::EngineOf engine(test::topical_documents(20), test::untuned());
  TuneRequest request;
  request.documents = 1;
  CHECK(code_of([&] { tune(engine, request); }, "documents: expected at least 2") ==
        Errc::kInvalidArgument);
}

TEST_CASE("an index with rare labels can be tuned, and then gives labels that came later") {
  test::TemporaryDirectory directory;
  auto records = test::topical_documents(40);
  records.push_back(record("once", "topic0w1x lonely", {"once"}));
  records.push_back(record("none", "topic1w1x topic1w2x"));
  test::write(directory / "db", records);
  write_tuning(directory / "db", tune(Engine(directory / "db", test::untuned()), {}).tuning);
  std::vector<Record> later;
  for (int i = 0; i < 4; ++i)
    later.push_back(
        record("new" + std::to_string(i), "fresh words arrive " + std::to_string(i), {"new"}));
  test::write(directory / "db", later);
  const Engine engine(directory / "db", {});
  ClassifyRequest request;
  request.scores = true;
  const Classification c = engine.classify(record("", "fresh words arrive"), request);
  REQUIRE(c.best);
  CHECK(c.best->label == "new");
}

TEST_CASE("a filter of a tuning holds when its index is asked") {
  const test::TopicalCollection collection(60, false);
  TuneRequest request;
  request.filter = "NOT label:label4";
  write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), request).tuning);
  const Engine engine(collection.path, {});
  ClassifyRequest ask;
  ask.voters = true;
  for (const Voter& voter : engine.classify(record("", "topic4w1x shared1x topic4w2x"), ask).voters)
    CHECK(voter.labels != std::vector<std::string>{"label4"});
}

TEST_CASE("under a tuning a document of the index gets what a new one of its text would get") {
  const test::TopicalCollection collection(120, GENERATE(false, true));
  const std::string text = "topic1w1x topic1w2x topic2w3x shared1x";
  test::write(collection.path, {record("stored", text + " lonely1x lonely2x lonely3x")});
  write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), {}).tuning);
  const Engine engine(collection.path, {});
  ClassifyRequest ask;
  ask.scores = true;
  const Classification stored = engine.classify(UniqueId{"stored"}, ask);
  const Classification fresh = engine.classify(record("", text), ask);
  REQUIRE(stored.scores.size() == fresh.scores.size());
  for (std::size_t i = 0; i < fresh.scores.size(); ++i) {
    CHECK(stored.scores[i].label == fresh.scores[i].label);
    CHECK(stored.scores[i].confidence == fresh.scores[i].confidence);
  }
}

namespace {

/// In the latest tenth, every third document has a label other than those before would have.
std::vector<Record> drifting_documents() {
  std::vector<Record> records = test::topical_documents(1100, false);
  for (std::size_t i = 990; i < records.size(); ++i) {
    if (i % 3 == 0) records[i].labels = {"label" + std::to_string((i + 1) % 5)};
  }
  return records;
}

Tuning tuned(const std::vector<Record>& records) {
  return tune(test::EngineOf(records, test::untuned()), {}).tuning;
}

}  // namespace

TEST_CASE("confidences of a collection that drifts are fitted forward in time, others are not") {
  CHECK(tuned(drifting_documents()).forward_documents == 110);
  CHECK(tuned(test::topical_documents(1100, false)).forward_documents == 0);
  CHECK(tuned(test::topical_documents(400, false)).forward_documents == 0);
  std::vector<Record> sorted = drifting_documents();  // by subject, so not in order of time
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Record& a, const Record& b) { return a.labels < b.labels; });
  CHECK(tuned(sorted).forward_documents == 0);
}

TEST_CASE(
    "what is promised of later documents is found, where words tell little and labels are small") {
  struct Shape {
    std::size_t labels, each;
    double share;
  };
  const Shape shape = GENERATE(Shape{40, 5, 0}, Shape{100, 4, 0}, Shape{60, 1, 0},
                               Shape{40, 5, .05}, Shape{100, 4, .05}, Shape{20, 3, .05},
                               Shape{10, 10, .08}, Shape{4, 50, .12}, Shape{40, 5, .2});
  CAPTURE(shape.labels, shape.each, shape.share);
  constexpr std::uint64_t kSeeds = 8;
  double untuned = 0, found = 0, least = 0, most = 0;  // in the mean
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "db";
    test::write(path, sparse_documents(shape.labels, shape.each, shape.share, 2 * seed + 1));
    const std::vector<Record> later = sparse_documents(
        shape.labels, std::max<std::size_t>(10, 400 / shape.labels), shape.share, 2 * seed + 2);
    untuned += accuracy_of(Engine(path, test::untuned()), later) / kSeeds;
    const TuneReport report = tune(Engine(path, test::untuned()), {});
    write_tuning(path, report.tuning);
    found += accuracy_of(Engine(path, test::on_cpu()), later) / kSeeds;
    const auto expected = expected_accuracy(report);
    REQUIRE(expected.has_value() == (shape.each > 1));
    least += (expected ? expected->least : 0) / kSeeds;
    most += (expected ? expected->most : 1) / kSeeds;
  }
  const double documents = static_cast<double>(kSeeds * shape.labels * shape.each);
  const double error = std::sqrt(.25 / documents);
  CHECK(found >= untuned - 2 * error);
  CHECK(least <= found + .05 + error);
  CHECK(most >= found - .05 - error);
}

TEST_CASE("what is promised of small collections holds for nine of ten of them") {
  struct Shape {
    std::size_t labels, each;
    double share;
  };
  std::size_t held = 0, collections = 0;
  for (const Shape shape : {Shape{2, 30, 0}, Shape{5, 40, 0}, Shape{10, 10, 0}, Shape{2, 25, .1},
                            Shape{10, 10, .08}, Shape{4, 50, .12}, Shape{8, 40, .1},
                            Shape{40, 5, .2}, Shape{10, 30, .2}, Shape{5, 60, .4}}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const test::TemporaryDirectory directory;
      const std::string path = directory / "db";
      test::write(path, sparse_documents(shape.labels, shape.each, shape.share, 2 * seed + 1));
      const TuneReport report = tune(Engine(path, test::untuned()), {});
      write_tuning(path, report.tuning);
      const double found = accuracy_of(
          Engine(path, test::on_cpu()),
          sparse_documents(shape.labels, 400 / shape.labels, shape.share, 2 * seed + 2));
      const auto expected = expected_accuracy(report);
      REQUIRE(expected);
      CHECK(expected->most <= expected->least + .1 + 1e-9);
      held += found >= expected->least - .05 && found <= expected->most + .05 ? 1 : 0;
      ++collections;
    }
  }
  CAPTURE(held, collections);
  CHECK(10 * held >= 9 * collections);
}

TEST_CASE(
    "where more than half of the voters are classified, but not all, later ones are promised") {
  std::vector<Record> records = test::topical_documents(4100, false);
  for (std::size_t i = 0; i < records.size(); i += 9)  // so that there are errors
    records[i].labels = {"label" + std::to_string((i + 1) % 5)};
  const TuneReport report = tune(test::EngineOf(records, test::untuned()), {});
  CHECK(report.tuning.scores.documents == 4000);
  CHECK(report.tuning.scores.accuracy < .95);
  REQUIRE(expected_accuracy(report));
  CHECK(expected_accuracy(report)->most < 1);
}

TEST_CASE("documents of sources that are far apart in the index promise nothing of other sources") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  test::write(path, sparse_documents(5, 80, .12, 1, 13));
  const TuneReport report = tune(Engine(path, test::untuned()), {});
  write_tuning(path, report.tuning);
  const double found =
      accuracy_of(Engine(path, test::on_cpu()), sparse_documents(5, 80, .12, 2, 13));
  CHECK(report.tuning.scores.accuracy > found + .1);
  CHECK(report.siblings > .1);
  const auto expected = expected_accuracy(report);
  REQUIRE(expected);
  CHECK(expected->least <= found + .05);
  CHECK(expected->most >= found - .05);
}

TEST_CASE("documents of a group do not vote for each other while methods are measured") {
  const test::EngineOf engine(test::topical_documents(60, false), test::untuned());
  TuneRequest request;
  const double together = tune(engine, request).tuning.scores.accuracy;
  request.groups = {Settings().labels.prefix};  // nothing of its label votes for a document
  const double apart = tune(engine, request).tuning.scores.accuracy;
  CHECK(together > apart);
  CHECK(apart < .3);
  request.groups = {"value:x"};
  CHECK(code_of([&] { tune(engine, request); }, "expected a prefix, or value:") ==
        Errc::kInvalidArgument);
}
