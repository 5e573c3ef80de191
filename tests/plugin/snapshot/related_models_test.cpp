// The weights of related documents: which are used, and that they follow an index that changes.
#include "plugin/snapshot/related_models.h"

#include <xapian.h>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

Settings weighing(const std::string& weights, const std::string& smart = "ltc") {
  Settings settings;
  settings.weighting.smart = smart;
  settings.backend.kind = "cpu";
  settings.backend.threads = 2;
  settings.related.weights = weights;
  return settings;
}

using Found = std::vector<std::pair<Xapian::docid, float>>;

Found found_by(const Engine& engine, const std::string& weights, const Example& example) {
  RelatedRequest request;
  request.like = {example};
  request.weights = weights;
  Found found;
  for (const Related& related : engine.related(request).results)
    found.emplace_back(related.docid, related.similarity);
  return found;
}

/// What each fiftieth document is like, by every kind of weights.
std::vector<Found> all_found(const Engine& engine, const std::vector<Xapian::docid>& documents) {
  std::vector<Found> all;
  for (const std::string_view weights : kRelatedWeightNames)
    for (std::size_t i = 0; i < documents.size(); i += 50)
      all.push_back(found_by(engine, std::string(weights), Docid{documents[i]}));
  return all;
}

/// Adds documents without labels, or replaces them.
void write_unlabeled(const std::string& path, const std::string& id, const std::string& text) {
  test::write(path, {test::record(id, text)});
}

}  // namespace

TEST_CASE("weights by labels follow documents without labels, which change idf only") {
  const test::TopicalCollection collection(200);
  Engine engine(collection.path, weighing("both"));
  const std::vector<Xapian::docid> asked = {1, 20, 77, 140};
  all_found(engine, asked);
  for (int step = 0; step < 4; ++step) {
    write_unlabeled(collection.path, "later" + std::to_string(step % 3),
                    "topic1w3x later" + std::to_string(step) + "x shared7x");
    REQUIRE(engine.refresh());
    CHECK(all_found(engine, asked) == all_found(Engine(collection.path, weighing("idf")), asked));
  }
}

TEST_CASE("the labels that a tuning saw weigh terms, whichever labels come later") {
  const test::TopicalCollection collection(200);
  const std::vector<Xapian::docid> asked = {1, 20, 77, 140};
  Engine engine(collection.path, weighing("auto"));
  const Docid one{20};
  CHECK(found_by(engine, "auto", one) == found_by(engine, "idf", one));
  write_tuning(collection.path, engine.tune().tuning);
  REQUIRE(engine.refresh());
  const Found by_both = found_by(engine, "both", one);
  CHECK(found_by(engine, "auto", one) == by_both);
  all_found(engine, asked);
  for (int step = 0; step < 3; ++step) {
    test::write(collection.path, {test::record("later" + std::to_string(step),
                                               "topic1w3x shared7x later1x", {"label2"})});
    REQUIRE(engine.refresh());
    CHECK(all_found(engine, asked) == all_found(Engine(collection.path, weighing("auto")), asked));
  }
  CHECK(remove_tuning(collection.path));
  REQUIRE(engine.refresh());
  CHECK(found_by(engine, "auto", one) == found_by(engine, "idf", one));
}

TEST_CASE("terms of a tuning that no document holds any more weigh nothing") {
  const test::TopicalCollection collection(200);
  {
    Engine engine(collection.path, weighing("auto"));
    write_tuning(collection.path, engine.tune().tuning);
  }
  Engine engine(collection.path, weighing("auto"));
  all_found(engine, {1});
  Xapian::WritableDatabase database(collection.path, Xapian::DB_OPEN);
  for (Xapian::docid docid = 30; docid <= 200; ++docid) database.delete_document(docid);
  database.commit();
  REQUIRE(engine.refresh());
  CHECK(engine.status().terms < 500);
  CHECK(all_found(engine, {1, 7}) == all_found(Engine(collection.path, weighing("auto")), {1, 7}));
}

TEST_CASE("without labels that tell, weights by labels are those by idf") {
  const test::TemporaryDirectory directory;
  std::vector<Record> records = test::small_collection();
  const bool one_label = GENERATE(false, true);
  for (Record& record : records) record.labels = std::vector<std::string>(one_label ? 1 : 0, "all");
  test::write(directory / "db", records);
  const Engine engine(directory / "db", weighing("both"));
  const Found by_idf = found_by(engine, "idf", UniqueId{"cat1"});
  CHECK_FALSE(by_idf.empty());
  CHECK(found_by(engine, "labels", UniqueId{"cat1"}) == by_idf);
  CHECK(found_by(engine, "both", UniqueId{"cat1"}) == by_idf);
  CHECK(found_by(engine, "smart", UniqueId{"cat1"}) != by_idf);
}

TEST_CASE("weights by labels bring documents of the same label nearer, also for a text") {
  const test::TopicalCollection collection(120, false);
  const Engine engine(collection.path, weighing("both"));
  const auto alike = [&](const std::string& weights) {
    int same = 0;
    const Record text = test::record("", "topic2w1x topic2w7x shared1x shared2x shared3x shared4x");
    for (const auto& [docid, similarity] : found_by(engine, weights, text))
      same += (docid - 1) % 5 == 2 ? 1 : 0;
    return same;
  };
  CHECK(alike("labels") >= 9);
  CHECK(alike("labels") > alike("idf"));
  CHECK(alike("both") >= alike("idf"));
}

TEST_CASE("the reasons of related documents add up to their similarity, by all weights") {
  const test::TopicalCollection collection(60);
  const Engine engine(collection.path, weighing("both", GENERATE("ltc", "ltn", "nnn")));
  for (const std::string_view weights : kRelatedWeightNames) {
    CAPTURE(weights);
    RelatedRequest request;
    request.like = {UniqueId{"d3"}, UniqueId{"d8"}};
    request.unlike = {UniqueId{"d4"}};
    request.weights = weights;
    request.explain = true;
    const RelatedResult result = engine.related(request);
    CHECK(result.results.size() == 10);
    for (const Related& related : result.results) {
      double sum = 0;
      for (const TermContribution& part : related.terms) sum += part.contribution;
      CHECK(sum == Approx(related.similarity).epsilon(1e-5));
    }
  }
}

TEST_CASE("related documents are measured by labels and documents that did not teach") {
  const test::TopicalCollection collection(100, false);
  const Engine engine(collection.path, weighing("both"));
  RelatedEvaluationRequest request;
  const RelatedEvaluation by_documents = engine.evaluate_related(request);
  CHECK(by_documents.teachers == 50);
  CHECK(by_documents.asked == 50);
  CHECK(by_documents.k == 10);
  REQUIRE(by_documents.shares.size() == kRelatedWeightKinds);
  for (std::size_t i = 0; i < by_documents.shares.size(); ++i)
    CHECK(by_documents.shares[i].weights == kRelatedWeightNames[i]);
  CHECK(by_documents.shares[2].share > by_documents.shares[0].share);

  request.held_out = HeldOut::kLabels;  // label0, label2 and label4 teach
  const RelatedEvaluation by_labels = engine.evaluate_related(request);
  CHECK(by_labels.teachers == 60);
  CHECK(by_labels.asked == 40);
  for (const RelatedShare& by : by_labels.shares) CHECK((by.share > 0.5 && by.share <= 1));
}
