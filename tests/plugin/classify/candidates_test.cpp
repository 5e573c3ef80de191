// Documents that a label would suit, through the C++ face, and by classifying each document.
#include "plugin/engine.h"

#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::Collection;
using test::record;

namespace {

const Record kCat = record("cat9", "The cat sleeps and purrs on the mat");

CandidatesRequest of_label(const std::string& label) {
  CandidatesRequest request;
  request.label = label;
  request.limit = 1000;
  return request;
}

bool is_listed(const api::CandidatesAnswer& report, const std::string& id) {
  return std::ranges::find(report.candidates, id, &api::Candidate::id) != report.candidates.end();
}

/// Classifies every document that lacks the label, and compares.
void check_by_brute_force(const Engine& engine, const std::string& label) {
  struct Expected {
    Xapian::docid docid;
    double confidence;
  };
  ClassifyRequest scores;
  scores.scores = true;
  std::vector<Expected> expected;
  const auto has_label = engine.matching("label:" + label);
  const auto all = engine.matching("");
  for (const Xapian::docid docid : all) {
    if (std::binary_search(has_label.begin(), has_label.end(), docid)) continue;
    for (const Tag& score : engine.classify(Docid{docid}, scores).scores)
      if (score.label == label) expected.push_back({docid, score.confidence});
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  const api::CandidatesAnswer report = engine.candidates(of_label(label));
  CHECK(report.examined == all.size() - has_label.size());
  CHECK(report.found == expected.size());
  REQUIRE_FALSE(expected.empty());
  REQUIRE(report.candidates.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(report.candidates[i].docid == expected[i].docid);
    CHECK(report.candidates[i].confidence == expected[i].confidence);
  }
}

}  // namespace

TEST_CASE("candidates have the confidence that classifying each document gives, in any vote") {
  std::vector<Record> records = test::topical_documents(150);
  for (std::size_t i = 0; i < records.size(); i += 7) records[i].labels.clear();
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  test::write(path, records);
  Settings settings = test::untuned();
  SECTION("of similarities") {}
  SECTION("by the most similar document") { settings.classify.vote = "best"; }
  SECTION("by whole labels") { settings.classify.vote = "centroid"; }
  SECTION("by prototypes") {
    settings.classify.vote = "prototype";
    settings.classify.prototypes = "id:d1 OR id:d2 OR id:d3";
  }
  SECTION("by units of a map") {
    settings.classify.vote = "unit";
    TrainTopicsRequest map;
    map.rows = map.columns = 4;
    train_topics(Engine(path, settings), map);
  }
  SECTION("by a tuned blend") {
    write_tuning(path, tune(Engine(path, settings), {}).tuning);
    settings.classify.use_tuning = true;
    REQUIRE(Engine(path, settings).status().tuning);
  }
  const Engine engine(path, settings);
  check_by_brute_force(engine, "label1");
  check_by_brute_force(engine, "label2");
}

TEST_CASE("candidates for a rare label are those that classifying each document finds") {
  std::vector<Record> records = test::topical_documents(600);
  for (std::size_t i = 0; i < records.size(); i += 20) records[i].labels = {"rare"};
  for (std::size_t i = 1; i < records.size(); i += 7) records[i].labels.clear();
  const test::TemporaryDirectory directory;
  test::write(directory / "db", records);
  Settings settings = test::untuned();
  settings.classify.neighbors = 4;
  SECTION("of similarities") {}
  SECTION("by the most similar document") { settings.classify.vote = "best"; }
  SECTION("by the nearest document") { settings.classify.vote = "nearest"; }
  const Engine engine(directory / "db", settings);
  check_by_brute_force(engine, "rare");
}

TEST_CASE("documents that refuse a label or opted out are no candidates") {
  Record refuses = kCat, opted_out = kCat;
  refuses.id = "refuses";
  refuses.rejected_labels = {"pets"};
  opted_out.id = "opted_out";
  opted_out.auto_tag = false;
  const test::EngineOf engine(test::small_collection({kCat, refuses, opted_out}));
  const api::CandidatesAnswer report = engine.candidates(of_label("pets"));
  CHECK(is_listed(report, "cat9"));
  CHECK_FALSE(is_listed(report, "refuses"));
  CHECK_FALSE(is_listed(report, "opted_out"));
  CHECK(report.found == report.candidates.size());
  CHECK(is_listed(engine.candidates(of_label("animals")), "refuses"));
}

TEST_CASE("a label that is never predicted can be asked for") {
  const Collection collection({kCat});
  Settings settings;
  settings.classify.never = {"pets"};
  CHECK(is_listed(Engine(collection.path, settings).candidates(of_label("pets")), "cat9"));
}
