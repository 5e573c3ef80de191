// Labels of every document, of one document each, hundreds on a document, and new ones.
#include "plugin/engine.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

/// The labels of a text, the surest first.
std::vector<std::string> labels_of(const Engine& engine, const std::string& text,
                                   const ClassifyRequest& request = {}) {
  const Classification found = engine.classify(test::record("new", text), request);
  std::vector<std::string> labels;
  for (const Tag& tag : found.tags) labels.push_back(tag.label);
  return labels;
}

bool has(const std::vector<std::string>& labels, const std::string& label) {
  return std::ranges::find(labels, label) != labels.end();
}

/// `count` words of a topic.
std::string words_of(std::size_t topic, std::size_t count, std::mt19937_64& random) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "topic" + std::to_string(topic) + "w" + std::to_string(random() % 25) + "x ";
  return text;
}

}  // namespace

TEST_CASE("a label that all documents have is given to each, beside that of its topic") {
  std::vector<Record> records = test::topical_documents(300, false);
  for (Record& record : records) record.labels.emplace_back("everywhere");
  const test::TunedIndex index(records);
  std::mt19937_64 random(1);
  for (std::size_t topic = 0; topic < 5; ++topic) {
    const auto labels = labels_of(index.engine, words_of(topic, 12, random));
    CHECK(labels.size() == 2);
    CHECK(has(labels, "everywhere"));
    CHECK(has(labels, "label" + std::to_string(topic)));
  }
}

TEST_CASE("of labels that one document each has, the nearest document's are the best") {
  std::vector<Record> records = test::topical_documents(400, false);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].text += "own" + std::to_string(i) + "x";
    records[i].labels = {"a" + std::to_string(i), "b" + std::to_string(i)};
  }
  test::EngineOf engine(records, test::on_cpu());
  engine.tune_if_needed();
  ClassifyRequest request;
  request.min_confidence = 0;
  request.limit = 2;
  for (const std::size_t i : {0U, 7U, 399U}) {
    const auto labels = labels_of(engine, records[i].text, request);
    REQUIRE(labels.size() == 2);
    CHECK(has(labels, "a" + std::to_string(i)));
    CHECK(has(labels, "b" + std::to_string(i)));
  }
}

TEST_CASE("documents with 500 labels are tuned on, and later ones get as many") {
  constexpr std::size_t kEach = 500;
  std::mt19937_64 random(1);
  std::vector<Record> records;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::size_t topic = i % 4;
    std::vector<std::string> labels;
    for (std::size_t l = 0; l < kEach; ++l)
      labels.push_back("topic" + std::to_string(topic) + "l" + std::to_string(l));
    records.push_back(
        test::record("d" + std::to_string(i), words_of(topic, 12, random), std::move(labels)));
  }
  const test::TunedIndex index(records);
  CHECK(index.report.tuning.max_labels == kEach);
  const auto labels = labels_of(index.engine, words_of(2, 12, random));
  CHECK(labels.size() == kEach);
  CHECK(std::ranges::all_of(labels, [](const auto& own) { return own.starts_with("topic2l"); }));
}

TEST_CASE("labels that appear between two refreshes are given as if they had always been there") {
  const test::TopicalCollection collection(300, false);
  Engine engine(collection.path, test::on_cpu());
  REQUIRE(engine.tune_if_needed());

  // One sorts before the labels that there are, one behind.
  const std::array<std::string, 2> appearing = {"aa new", "zz new"};
  std::mt19937_64 random(1);
  std::vector<Record> later;
  for (std::size_t i = 0; i < 40; ++i)
    later.push_back(test::record("later" + std::to_string(i), words_of(10 + i % 2, 12, random),
                                 {appearing[i % 2]}));
  for (std::size_t begin = 0; begin < later.size(); begin += 20) {
    test::write(collection.path, {later.begin() + begin, later.begin() + begin + 20});
    engine.refresh();
    const Engine fresh(collection.path, test::on_cpu());
    for (const std::size_t topic : {0U, 4U, 10U, 11U}) {
      const Record asked = test::record("new", words_of(topic, 12, random));
      ClassifyRequest request;
      request.scores = true;
      const Classification followed = engine.classify(asked, request);
      const Classification expected = fresh.classify(asked, request);
      CHECK(followed.tags == expected.tags);
      CHECK(followed.scores == expected.scores);
      const std::string label =
          topic < 10 ? "label" + std::to_string(topic) : appearing[topic - 10];
      REQUIRE(!followed.tags.empty());
      CHECK(has(labels_of(engine, asked.text), label));
    }
  }
}
