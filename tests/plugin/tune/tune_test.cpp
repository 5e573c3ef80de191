// What a tuning finds and refuses, and the tags of an index that was tuned.
#include "plugin/learning.h"
#include "plugin/tune/expected_accuracy.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::code_of;
using test::record;
using test::TunedIndex;

namespace {

/// Documents with the labels a and b by turns, whose texts are text_of(i).
template <typename TextOf>
std::vector<Record> two_labels(std::size_t count, TextOf&& text_of) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i)
    records.push_back(record("d" + std::to_string(i), text_of(i), {i % 2 == 0 ? "a" : "b"}));
  return records;
}

Classification scored(const Engine& engine, const Example& example) {
  ClassifyRequest request;
  request.scores = true;
  return engine.classify(example, request);
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

TEST_CASE("an index with one label gives it to every document that has a word of it") {
  std::vector<Record> records = test::topical_documents(40);
  for (Record& each : records) each.labels = {"only"};
  const TunedIndex index(records);
  CHECK(index.accuracy() == 1);
  CHECK(index.report.tuning.single_label);
  CHECK(index.report.tuning.thresholds.size() == 1);
  const Classification found = index.engine.classify(record("", "topic1w1x topic1w2x"), {});
  REQUIRE(found.tags.size() == 1);
  CHECK(found.tags.front().label == "only");
  CHECK(index.engine.classify(record("", "unheard"), {}).tags.empty());
}

TEST_CASE("an index of one document a label promises nothing, and tags by what is nearest") {
  std::vector<Record> records = test::topical_documents(60, false);
  for (Record& each : records) each.labels = {"of_" + each.id};
  const TunedIndex index(records);
  CHECK(index.report.alone == 1);
  CHECK(index.accuracy() == 0);
  CHECK_FALSE(expected_accuracy(index.report));
  CHECK(scored(index.engine, record("", records[7].text)).best->label == "of_d7");
}

TEST_CASE("an index without words is tuned, and gives no tags") {
  const TunedIndex index(two_labels(20, [](std::size_t) { return ""; }));
  CHECK(index.accuracy() == 0);
  CHECK(expected_accuracy(index.report)->least == 0);
  for (const Record& each : two_labels(4, [](std::size_t) { return ""; }))
    CHECK(index.engine.classify(UniqueId{each.id}, {}).tags.empty());
}

TEST_CASE("of documents with equal rows none is sure of its label") {
  std::vector<Record> records = two_labels(60, [](std::size_t) { return "the same few words"; });
  records.push_back(record("other", "something else"));  // a word that all have tells nothing
  const TunedIndex index(records);
  CHECK(index.accuracy() == Approx(.5).margin(.15));
  const Classification found = scored(index.engine, record("", "the same few words"));
  REQUIRE(found.scores.size() == 2);
  CHECK(found.scores[0].confidence < .8);
}

TEST_CASE("two labels with the same texts are told apart as by chance") {
  // Above 200 documents are linear classifiers, too.
  const std::size_t count = GENERATE(100U, 300U);
  std::mt19937_64 random(3);
  const TunedIndex index(two_labels(count, [&](std::size_t) {
    std::string text;
    for (int word = 0; word < 15; ++word) text += "any" + std::to_string(random() % 60) + "x ";
    return text;
  }));
  CHECK(index.accuracy() == Approx(.5).margin(1.5 / std::sqrt(count)));
  CHECK(index.report.tuning.scores.log_loss == Approx(std::log(2)).margin(.1));
  CHECK(scored(index.engine, record("", "any1x any2x any3x")).best->confidence ==
        Approx(.5).margin(.15));
}

TEST_CASE("an index with rare labels can be tuned, and then gives labels that came later") {
  auto records = test::topical_documents(40);
  records.push_back(record("once", "topic0w1x lonely", {"once"}));
  for (const char* id : {"rare1", "rare2"}) records.push_back(record(id, "seldom heard", {"rare"}));
  records.push_back(record("none", "topic1w1x topic1w2x"));
  const TunedIndex index(records);
  CHECK(index.report.tuning.thresholds.size() == 7);
  for (const auto& [label, threshold] : index.report.tuning.thresholds) {
    CHECK(threshold >= .1);
    CHECK(threshold <= 1);
  }
  std::vector<Record> later;
  for (int i = 0; i < 4; ++i)
    later.push_back(
        record("new" + std::to_string(i), "fresh words arrive " + std::to_string(i), {"new"}));
  test::write(index.path, later);
  const Engine engine(index.path, test::on_cpu());
  CHECK(scored(engine, record("", "fresh words arrive")).best->label == "new");
  CHECK(scored(engine, record("", "seldom heard")).best->label == "rare");
}

TEST_CASE("a label that nothing votes for is not given") {
  std::vector<Record> records = test::topical_documents(240);
  records.push_back(record("wordless", "", {"silent"}));
  const std::string filter = GENERATE("", "NOT label:label4");
  TuneRequest request;
  request.filter = filter;
  const TunedIndex index(records, request);
  ClassifyRequest ask;
  ask.voters = ask.scores = true;
  const Classification found =
      index.engine.classify(record("", "topic4w1x shared1x topic4w2x"), ask);
  CHECK((found.best->label == "label4") == filter.empty());
  for (const Tag& score : found.scores)
    CHECK((score.label != "silent" && (filter.empty() || score.label != "label4")));
  REQUIRE(found.voters);
  for (const api::Voter& voter : *found.voters)
    CHECK((filter.empty() || std::ranges::count(voter.labels, "label4") == 0));
}

TEST_CASE("under a tuning a document of the index gets what a new one of its text would get") {
  std::vector<Record> records = test::topical_documents(120, GENERATE(false, true));
  const std::string text = "topic1w1x topic1w2x topic2w3x shared1x";
  records.push_back(record("stored", text + " lonely1x lonely2x lonely3x"));
  const TunedIndex index(records);
  const Classification stored = scored(index.engine, UniqueId{"stored"});
  const Classification fresh = scored(index.engine, record("stored", text));
  REQUIRE(stored.scores.size() == fresh.scores.size());
  for (std::size_t i = 0; i < fresh.scores.size(); ++i) {
    CHECK(stored.scores[i].label == fresh.scores[i].label);
    CHECK(stored.scores[i].confidence == fresh.scores[i].confidence);
  }
}

TEST_CASE("confidences are as often right as they say, where people leave out labels") {
  // One of four documents of its subject lacks the label of the subject.
  const auto people = [](std::uint64_t seed) {
    std::vector<Record> records = test::topical_documents(300, false, seed);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i / 5 % 4 == 0) records[i].labels.clear();
      records[i].labels.push_back(i % 2 == 0 ? "even" : "odd");
    }
    return records;
  };
  const TunedIndex index(people(1));
  double said = 0, right = 0, given = 0;
  for (const Record& later : people(2)) {
    const Classification found = scored(index.engine, record("", later.text));
    for (const Tag& score : found.scores) {
      if (!score.label.starts_with("label") || score.confidence < .5) continue;
      ++given;
      said += score.confidence;
      right += static_cast<double>(std::ranges::count(later.labels, score.label));
    }
  }
  CHECK(given > 250);
  CHECK(said / given == Approx(.75).margin(.05));
  CHECK(right / given == Approx(.75).margin(.05));
}
