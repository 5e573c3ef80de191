#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

TEST_CASE("an index that nobody has tuned tunes itself, stores what it found, and answers by it") {
  const test::TopicalCollection collection(120);
  Engine engine(collection.path, test::on_cpu());
  REQUIRE(engine.needs_tuning());
  const auto report = tune_if_needed(engine);
  REQUIRE(report);
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning->automatic);
  CHECK(engine.status().tuning->voters == 120);
  CHECK(!engine.needs_tuning());
  CHECK(!engine.tune_if_needed());
  const auto stored = read_tuning(collection.path, engine.status().uuid);
  REQUIRE(stored);
  CHECK(stored->automatic);
  CHECK(stored->max_labels == 2);
}

TEST_CASE("an automatic tuning is renewed when twice as many documents vote") {
  const test::TopicalCollection collection(110);
  Engine engine(collection.path, test::on_cpu());
  REQUIRE(engine.tune_if_needed());
  test::write(collection.path, test::topical_documents(219));
  engine.refresh();
  CHECK(!engine.needs_tuning());
  test::write(collection.path, test::topical_documents(220));
  engine.refresh();
  CHECK(engine.needs_tuning());
  REQUIRE(engine.tune_if_needed());
  CHECK(engine.status().tuning->voters == 220);
}

TEST_CASE("what people chose or tuned themselves is left alone") {
  const test::TopicalCollection collection(120);
  const auto needs = [&](auto&& choose) {
    Settings settings = test::on_cpu();
    choose(settings.classify);
    return Engine(collection.path, settings).needs_tuning();
  };
  CHECK(needs([](ClassifySettings&) {}));
  CHECK(!needs([](ClassifySettings& classify) { classify.auto_tune = false; }));
  CHECK(!needs([](ClassifySettings& classify) { classify.use_tuning = false; }));
  CHECK(!needs([](ClassifySettings& classify) { classify.vote = "centroid"; }));
  CHECK(!needs([](ClassifySettings& classify) { classify.neighbors = 10; }));
  CHECK(!needs([](ClassifySettings& classify) { classify.min_confidence = .2; }));
  write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), {}).tuning);
  CHECK(!needs([](ClassifySettings&) {}));
  test::write(collection.path, test::topical_documents(300));
  CHECK(!needs([](ClassifySettings&) {}));
}

TEST_CASE("an index whose tuning was removed stays untuned until somebody tunes it") {
  const test::TopicalCollection collection(120);
  REQUIRE(Engine(collection.path, test::on_cpu()).tune_if_needed());
  CHECK(remove_tuning(collection.path));
  keep_untuned(collection.path);
  Engine engine(collection.path, test::on_cpu());
  CHECK(!engine.status().tuning_due);
  CHECK(!engine.tune_if_needed());
  store_tuning(engine, tune(engine, {}).tuning);
  CHECK(remove_tuning(collection.path));
  CHECK(Engine(collection.path, test::on_cpu()).needs_tuning());
}

TEST_CASE("few documents, or one label only, are not tuned on") {
  CHECK(!test::EngineOf(test::topical_documents(99), test::on_cpu()).needs_tuning());
  std::vector<Record> alike = test::topical_documents(120);
  for (Record& record : alike) record.labels = {"only"};
  CHECK(!test::EngineOf(alike, test::on_cpu()).needs_tuning());
}

TEST_CASE("where documents come in near-duplicates, a tuning is no worse than none") {
  const std::size_t copies = GENERATE(2U, 20U);
  CAPTURE(copies);
  std::mt19937_64 random(1);
  std::vector<std::string> texts;
  std::vector<Record> records;
  for (std::size_t i = 0; i < 200; ++i) {
    if (i % copies == 0) texts.emplace_back();
    for (int word = 0; i % copies == 0 && word < 30; ++word)
      texts.back() += "word" + std::to_string(random() % 3000) + "x ";
    records.push_back(test::record("", texts.back() + "own" + std::to_string(i) + "x",
                                   {"label" + std::to_string(texts.size() % 5)}));
  }
  std::shuffle(records.begin(), records.end(), random);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].id = "d" + std::to_string(i);
  test::EngineOf engine(records, test::on_cpu());
  const auto report = tune_if_needed(engine);
  REQUIRE(report);
  // A document that comes later is a copy of one before it, but for the first of each text.
  CHECK(report->tuning.scores.accuracy >= .9 * (1 - 1 / static_cast<double>(copies)));
  for (const Record& record : records) {
    const Classification found = engine.classify(UniqueId{record.id}, {});
    REQUIRE(found.tags.size() == 1);
    CHECK(found.tags.front().label == record.labels.front());
    CHECK(found.tags.front().confidence > .8);
  }
}

TEST_CASE("of many documents a tuning looks at some, and tags the others by what it found") {
  const test::TopicalCollection collection(400, false);
  Engine engine(collection.path, test::on_cpu());
  TuneRequest request;
  request.documents = 100;
  const TuneReport report = tune(engine, request);
  CHECK(report.tuning.scores.documents == 150);  // twice doubled
  CHECK(report.tuning.voters == 400);
  CHECK(report.tuning.scores.accuracy > .9);
  write_tuning(collection.path, report.tuning);
  engine.refresh();
  std::size_t right = 0;
  const std::vector<Record> records = test::topical_documents(400, false);
  for (const Record& record : records) {
    const Classification found = engine.classify(UniqueId{record.id}, {});
    right += found.tags.size() == 1 && found.tags.front().label == record.labels.front() ? 1 : 0;
  }
  CHECK(right > 370);
  CHECK(tune(engine, {}).tuning.scores.documents == 400);
}

TEST_CASE("ingest and tag tune an index before they give tags, a dry run does not") {
  const test::TopicalCollection collection(120);
  Record unlabeled = test::topical_documents(1).front();
  unlabeled.id = "new";
  unlabeled.labels.clear();
  Settings settings = test::on_cpu();
  SECTION("ingest") {
    Ingest ingest(collection.path, settings);
    ingest.add(unlabeled);
    ingest.commit();
  }
  SECTION("tag") {
    Engine engine(collection.path, settings);
    TagRequest request;
    request.dry_run = true;
    tag_documents(engine, request);
    CHECK(!engine.status().tuning);
    request.dry_run = false;
    tag_documents(engine, request);
  }
  const Engine engine(collection.path, settings);
  REQUIRE(engine.status().tuning);
  CHECK(engine.status().tuning->automatic);
}

TEST_CASE("a tuned index gives as many tags as its documents have, an untuned one five") {
  const test::TemporaryDirectory directory;
  std::vector<Record> records = test::topical_documents(120);
  for (Record& record : records) {
    for (int i = 0; i < 7; ++i) record.labels.push_back("also" + std::to_string(i));
    std::sort(record.labels.begin(), record.labels.end());
  }
  test::write(directory / "db", records);
  Settings settings = test::on_cpu();
  settings.classify.auto_tune = false;
  Engine untuned(directory / "db", settings);
  CHECK(untuned.classify(UniqueId{"d1"}, {}).tags.size() == 5);
  Engine engine(directory / "db", test::on_cpu());
  REQUIRE(engine.tune_if_needed());
  CHECK(engine.classify(UniqueId{"d1"}, {}).tags.size() >= 8);
  settings.classify.limit = 2;
  CHECK(Engine(directory / "db", settings).classify(UniqueId{"d1"}, {}).tags.size() == 2);
}
