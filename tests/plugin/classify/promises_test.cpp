// Complaints of users of other tagging systems, each turned into a promise of this one.
#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::record;

TEST_CASE("where nothing speaks for a tag, none is given") {
  const test::EngineOf engine(test::small_collection(), test::untuned());
  CHECK(engine.classify(record("", "xylophone")).tags.empty());
  ClassifyRequest request;
  const Record unsure = record("", "cat and budget");
  const Classification c = engine.classify(unsure);
  REQUIRE(c.best);
  request.min_confidence = 0;
  CHECK_FALSE(engine.classify(unsure, request).tags.empty());
  request.min_similarity = 0.99;  // nobody is that close
  CHECK_FALSE(engine.classify(unsure, request).best);
}

TEST_CASE("every term counts for similarity, however many there are") {
  // Document b has only the last ten of the 60 words of a. It is found, and by all ten.
  std::string shared, text;
  for (int i = 0; i < 10; ++i) shared += "late" + std::to_string(i) + "x ";
  for (int i = 0; i < 50; ++i)
    text += "early" + std::to_string(i) + "x early" + std::to_string(i) + "x ";
  const test::EngineOf engine({record("a", text + shared, {"x"}), record("b", shared, {"y"}),
                               record("c", "something else", {"z"})},
                              test::untuned());
  RelatedRequest request = test::like({UniqueId{"a"}});
  request.explain = true;
  const auto found = engine.related(request).results;
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == "b");
  CHECK(found[0].terms->size() == 10);
}

TEST_CASE("confidences are shares from 0 to 1, whatever the length of a text") {
  const test::TopicalCollection collection(60, GENERATE(false, true));
  write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), {}).tuning);
  const Engine engine(collection.path, {});
  ClassifyRequest request;
  request.scores = true;
  for (const char* text : {"topic1w1x", "topic1w1x topic2w2x topic3w3x shared1x", "shared1x"}) {
    const std::string once = text;
    std::string thrice = once + " " + once + " " + once;
    const Classification a = engine.classify(record("", once), request);
    const Classification b = engine.classify(record("", thrice), request);
    REQUIRE(a.scores.size() == b.scores.size());
    for (std::size_t i = 0; i < a.scores.size(); ++i) {
      CHECK((a.scores[i].confidence >= 0 && a.scores[i].confidence <= 1));
      CHECK(a.scores[i].confidence == Approx(b.scores[i].confidence).margin(1e-6));
    }
  }
}

TEST_CASE("several labels of a document are taken and given together") {
  test::TopicalCollection collection(120);
  const auto labels_of = [](const Classification& classification) {
    std::vector<std::string> labels;
    for (const Tag& tag : classification.tags) labels.push_back(tag.label);
    std::sort(labels.begin(), labels.end());
    return labels;
  };
  SECTION("a document with two subjects gets both tags at once") {
    test::write(collection.path, {record("both0",
                                         "topic0w1x topic0w2x topic0w3x topic0w4x "
                                         "topic3w1x topic3w2x topic3w3x topic3w4x",
                                         {"label0", "label3"}),
                                  record("both1",
                                         "topic0w5x topic0w6x topic0w7x topic0w8x "
                                         "topic3w5x topic3w6x topic3w7x topic3w8x",
                                         {"label0", "label3"})});
    const Engine engine(collection.path, test::untuned());
    const Classification c = engine.classify(
        record("", "topic0w1x topic0w5x topic0w2x topic3w1x topic3w5x topic3w2x topic3w6x"));
    CHECK(labels_of(c) == std::vector<std::string>{"label0", "label3"});
  }
  SECTION("each value of a document votes in full, not only its first") {
    const Engine engine(collection.path, test::untuned());
    ClassifyRequest request;
    request.neighbors = 1;
    request.scores = true;
    request.voters = true;
    // A record with the text of d40: its nearest document is d40, which has two labels.
    Record again = test::topical_documents(41).back();
    again.id = "again";
    const Classification c = engine.classify(again, request);
    REQUIRE(c.voters->size() == 1);
    CHECK(c.voters->at(0).id == "d40");
    REQUIRE(c.scores.size() == 2);
    CHECK(c.scores[0].confidence == .5);  // of one document; with both its labels it is as sure
    CHECK(c.scores[1].confidence == .5);
    CHECK(labels_of(c) == std::vector<std::string>{"label0", "label1"});
  }
  SECTION("a tuning gives several tags where documents have several") {
    // Every fourth document has two labels; now its text has both subjects.
    std::vector<Record> records = test::topical_documents(120);
    for (std::size_t i = 0; i < records.size(); i += 4) {
      for (std::size_t word = 0; word < 8; ++word)
        records[i].text += " topic" + std::to_string((i + 1) % 5) + "w" +
                           std::to_string((i + 3 * word) % 25) + "x";
    }
    test::write(collection.path, records);
    write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), {}).tuning);
    const Engine engine(collection.path, {});
    REQUIRE(engine.status().tuning);
    CHECK_FALSE(Reading(engine).snapshot->voting().tuning()->single_label);
    std::size_t given = 0, right = 0, several = 0;
    engine.cross_validate({}, {}, [&](const auto& truth, const Classification& prediction) {
      const std::vector<std::string> labels = labels_of(prediction);
      given += labels.size();
      several += labels.size() > 1 ? 1 : 0;
      for (const std::string& label : labels)
        right += std::count(truth.begin(), truth.end(), label) > 0 ? 1 : 0;
    });
    CHECK(several >= 10);  // 30 of the 120 documents have two labels
    CHECK(right * 10 >= given * 7);
  }
  SECTION("a record's list of labels becomes as many terms, and each can be filtered by") {
    const Engine engine(collection.path, test::untuned());
    for (const char* query : {"label:label0", "label:label1"}) {
      const auto found = engine.matching(std::string(query) + " AND id:d40");
      CHECK(found.size() == 1);
    }
  }
}
