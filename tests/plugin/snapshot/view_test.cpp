// The views by which related documents are found: which one it is, and that it follows an index
// that changes.
#include "plugin/snapshot/view.h"

#include <xapian.h>

#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

Settings weighing(const std::string& smart = "ltc") {
  Settings settings = test::on_cpu(2);
  settings.weighting.smart = smart;
  return settings;
}

using Found = std::vector<std::pair<Xapian::docid, float>>;

Found found_by(const Engine& engine, const Example& example) {
  Found found;
  for (const api::RelatedDocument& related : test::related_to(engine, example))
    found.emplace_back(related.docid, related.similarity);
  return found;
}

std::vector<Found> all_found(const Engine& engine, const std::vector<Xapian::docid>& documents) {
  std::vector<Found> all;
  all.reserve(documents.size());
  for (const Xapian::docid docid : documents) all.push_back(found_by(engine, Docid{docid}));
  return all;
}

const std::vector<Xapian::docid> kAsked = {1, 20, 77, 140};

}  // namespace

TEST_CASE("without a tuning related documents follow by idf, whatever labels come") {
  const test::TopicalCollection collection(200);
  Engine engine(collection.path, weighing());
  all_found(engine, kAsked);
  for (int step = 0; step < 4; ++step) {
    test::write(collection.path,
                {test::record("later" + std::to_string(step % 3),
                              "topic1w3x later" + std::to_string(step) + "x shared7x",
                              std::vector<std::string>(step % 2 == 0 ? 1 : 0, "label2"))});
    REQUIRE(engine.refresh());
    CHECK(all_found(engine, kAsked) == all_found(Engine(collection.path, weighing()), kAsked));
  }
}

TEST_CASE("with a tuning its weights find related documents, whatever comes later") {
  const test::TopicalCollection collection(200);
  Engine engine(collection.path, weighing());
  const std::vector<Found> by_idf = all_found(engine, kAsked);
  write_tuning(collection.path, tune(engine, {}).tuning);
  REQUIRE(engine.refresh());
  CHECK(all_found(engine, kAsked) != by_idf);
  for (int step = 0; step < 3; ++step) {
    test::write(collection.path, {test::record("later" + std::to_string(step),
                                               "topic1w3x shared7x later1x", {"label2"})});
    REQUIRE(engine.refresh());
    CHECK(all_found(engine, kAsked) == all_found(Engine(collection.path, weighing()), kAsked));
  }
  CHECK(remove_tuning(collection.path));
  REQUIRE(engine.refresh());
  CHECK(all_found(engine, kAsked) == all_found(Engine(collection.path, weighing()), kAsked));
}

TEST_CASE("terms of a tuning that no document holds any more find nothing") {
  const test::TopicalCollection collection(200);
  {
    Engine engine(collection.path, weighing());
    write_tuning(collection.path, tune(engine, {}).tuning);
  }
  Engine engine(collection.path, weighing());
  all_found(engine, {1});
  Xapian::WritableDatabase database(collection.path, Xapian::DB_OPEN);
  for (Xapian::docid docid = 30; docid <= 200; ++docid) database.delete_document(docid);
  database.commit();
  REQUIRE(engine.refresh());
  CHECK(engine.status().terms < 500);
  CHECK(all_found(engine, {1, 7}) == all_found(Engine(collection.path, weighing()), {1, 7}));
}

TEST_CASE("a tuning brings documents of the same label nearer, also for a text") {
  const test::TopicalCollection collection(120, false);
  const Record text = test::record("", "topic2w1x topic2w7x shared1x shared2x shared3x shared4x");
  const auto alike = [&](const Engine& engine) {
    int same = 0;
    for (const auto& [docid, similarity] : found_by(engine, text))
      same += (docid - 1) % 5 == 2 ? 1 : 0;
    return same;
  };
  Engine engine(collection.path, weighing());
  const int untuned = alike(engine);
  write_tuning(collection.path, tune(engine, {}).tuning);
  REQUIRE(engine.refresh());
  CHECK(alike(engine) >= 9);
  CHECK(alike(engine) > untuned);
}

TEST_CASE("the reasons of related documents add up to their similarity, tuned or not") {
  const test::TopicalCollection collection(60);
  Engine engine(collection.path, weighing(GENERATE("ltc", "ltn", "nnn")));
  for (const bool tuned : {false, true}) {
    CAPTURE(tuned);
    if (tuned) {
      write_tuning(collection.path, tune(engine, {}).tuning);
      REQUIRE(engine.refresh());
    }
    RelatedRequest request = test::like({UniqueId{"d3"}, UniqueId{"d8"}});
    request.unlike = {UniqueId{"d4"}};
    request.explain = true;
    const RelatedResult result = engine.related(request);
    CHECK(result.results.size() == 10);
    for (const api::RelatedDocument& related : result.results) {
      double sum = 0;
      for (const api::TermContribution& part : *related.terms) sum += part.contribution;
      CHECK(sum == Approx(related.similarity).epsilon(1e-5));
    }
  }
}

TEST_CASE("with a tuning, related documents are by the cosine, whatever the last letter is") {
  const test::TopicalCollection collection(60);
  Engine by_cosine(collection.path, weighing("ltc")), by_product(collection.path, weighing("ltn"));
  CHECK(all_found(by_product, {1, 20}) != all_found(by_cosine, {1, 20}));
  write_tuning(collection.path, tune(by_product, {}).tuning);
  REQUIRE((by_product.refresh() && by_cosine.refresh()));
  CHECK(all_found(by_product, {1, 20}) == all_found(by_cosine, {1, 20}));
}

TEST_CASE("in an index of copies, equal texts are alike though no word is rare") {
  const std::size_t copies = GENERATE(1U, 2U, 30U, 250U);
  CAPTURE(copies);
  std::vector<Record> records;
  for (std::size_t i = 0; i < copies; ++i)
    records.push_back(test::record("copy" + std::to_string(i), "the same few words", {"label"}));
  const test::EngineOf engine(records, test::untuned());

  RelatedRequest request = test::like({test::record("", "the same few words", {})}, 1000);
  request.feedback = GENERATE(true, false);
  const auto found = engine.related(request).results;
  REQUIRE(found.size() == copies);
  for (const api::RelatedDocument& document : found) CHECK(document.similarity > .99999f);

  const Classification tagged = engine.classify(test::record("", "the same few words", {}));
  REQUIRE(tagged.tags.size() == 1);
  const auto heard = static_cast<double>(copies);  // copies are equally near, so all are
  CHECK(tagged.tags.front().confidence == heard / (heard + 1));
}
