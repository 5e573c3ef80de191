// What a tuning promises of documents that come later.
#include "plugin/learning.h"
#include "plugin/tune/expected_accuracy.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::record;
using test::TunedIndex;

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
    records.push_back(record("d" + std::to_string(i), text, {"label" + label}));
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

/// Documents with nothing in common, whose labels are drawn.
std::vector<Record> strangers(std::size_t count) {
  std::mt19937_64 random(4);
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string own = std::to_string(i);
    records.push_back(
        record("d" + own, "own" + own + "x own" + own + "y", {random() % 2 == 0 ? "a" : "b"}));
  }
  return records;
}

/// In the latest tenth, every third document has a label other than those before would have.
std::vector<Record> drifting_documents() {
  std::vector<Record> records = test::topical_documents(1000, false);
  for (std::size_t i = 900; i < records.size(); ++i) {
    if (i % 3 == 0) records[i].labels = {"label" + std::to_string((i + 1) % 5)};
  }
  return records;
}

Tuning tuned(const std::vector<Record>& records) {
  return tune(test::EngineOf(records, test::untuned()), {}).tuning;
}

}  // namespace

TEST_CASE("what is promised of later documents is found, for nine of ten collections", "[slow]") {
  struct Shape {
    std::size_t labels, each;
    double share;
  };
  constexpr std::uint64_t kSeeds = 6;
  constexpr double kError = .05;
  std::size_t held = 0, collections = 0;
  for (const Shape shape :
       {Shape{40, 5, 0}, Shape{100, 4, 0}, Shape{60, 1, 0}, Shape{2, 30, 0}, Shape{40, 5, .05},
        Shape{100, 4, .05}, Shape{20, 3, .05}, Shape{10, 10, .08}, Shape{2, 25, .1},
        Shape{8, 40, .1}, Shape{4, 50, .12}, Shape{40, 5, .2}, Shape{10, 30, .2},
        Shape{5, 60, .4}}) {
    CAPTURE(shape.labels, shape.each, shape.share);
    double untuned = 0, found = 0, least = 0, most = 0;  // in the mean
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const TunedIndex index(sparse_documents(shape.labels, shape.each, shape.share, 2 * seed + 1));
      const std::vector<Record> later = sparse_documents(
          shape.labels, std::max<std::size_t>(10, 400 / shape.labels), shape.share, 2 * seed + 2);
      untuned += accuracy_of(Engine(index.path, test::untuned()), later) / kSeeds;
      const double accuracy = accuracy_of(index.engine, later);
      found += accuracy / kSeeds;

      const auto expected = expected_accuracy(index.report);
      REQUIRE(expected.has_value() == (shape.each > 1));
      least += (expected ? expected->least : 0) / kSeeds;
      most += (expected ? expected->most : 1) / kSeeds;
      if (!expected) continue;
      CHECK(expected->most <= expected->least + .1 + 1e-9);
      held += accuracy >= expected->least - kError && accuracy <= expected->most + kError ? 1 : 0;
      ++collections;
    }
    const auto documents = static_cast<double>(kSeeds * shape.labels * shape.each);
    const double error = std::sqrt(.25 / documents);
    CHECK(found >= untuned - 2 * error);
    CHECK(least <= found + kError + error);
    CHECK(most >= found - kError - error);
  }
  CAPTURE(held, collections);
  CHECK(10 * held >= 9 * collections);
}

TEST_CASE("where more than half of the voters are classified, but not all, later ones are promised",
          "[slow]") {
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
  const TunedIndex index(sparse_documents(5, 80, .12, 1, 13));
  const double found = accuracy_of(index.engine, sparse_documents(5, 80, .12, 2, 13));
  CHECK(index.accuracy() > found + .1);
  CHECK(index.report.siblings > .05);
  const auto expected = expected_accuracy(index.report);
  REQUIRE(expected);
  CHECK(expected->least <= found + .05);
  CHECK(expected->most >= found - .05);
}

TEST_CASE("a copy of a document, or one of its thread, does not tell how well others are tagged") {
  std::vector<Record> records = strangers(200);
  REQUIRE(tuned(records).scores.accuracy == 0);
  const bool is_copy = GENERATE(true, false);
  for (std::size_t i = 0; i < 80; i += 2) {
    // A copy lies far away, and the next document of a thread soon after.
    Record& other = records[is_copy ? i + 101 : i + 1];
    other.labels = records[i].labels;
    const std::string thread = " thread" + std::to_string(i) + "x thread" + std::to_string(i) + "y";
    if (is_copy) {
      other.text = records[i].text;
    } else {
      records[i].text += thread;
      other.text += thread;
    }
  }
  CHECK(tuned(records).scores.accuracy == 0);
}

TEST_CASE("confidences of a collection that drifts are fitted forward in time, others are not",
          "[slow]") {
  CHECK(tuned(drifting_documents()).forward_documents == 100);
  CHECK(tuned(test::topical_documents(1000, false)).forward_documents == 0);
  CHECK(tuned(test::topical_documents(400, false)).forward_documents == 0);
  std::vector<Record> sorted = drifting_documents();  // by subject, so not in order of time
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Record& a, const Record& b) { return a.labels < b.labels; });
  CHECK(tuned(sorted).forward_documents == 0);
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
  CHECK(test::code_of([&] { tune(engine, request); }, "expected a prefix, or value:") ==
        Errc::kInvalidArgument);
}
