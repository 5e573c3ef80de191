// The vote "unit": the labeled documents that lie on the map around a document's unit give it tags.
#include "plugin/learning.h"
#include "plugin/topics/topic_map.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/tagged_document.h"
#include "tests/fixtures/topics_collection.h"

using namespace kindred;
using test::code_of;
using test::make_database;
using test::small_request;
using test::TopicsIndex;

namespace {

constexpr double kSigma = 0.7;  // sigma at the end of small_request()

ClassifyRequest by_unit() {
  ClassifyRequest request;
  request.vote = "unit";
  request.scores = true;
  request.explain = true;
  return request;
}

/// The share of each label in the documents around a unit, computed from their places and the map's
/// coordinates. Leaves out the document `own`, and all labels but `only`, if it is given.
std::map<std::string, double> shares_around(const Engine& engine, std::uint64_t unit,
                                            const std::string& own, const std::string& only = "") {
  const auto map = Reading(engine).topic_map();
  std::map<std::string, double> shares;
  double total = 0;
  for (const PlacedDocument& document :
       Reading(engine).placed_documents(engine.matching("")).documents) {
    const std::string label = document.id.substr(0, document.id.find_first_of("0123456789"));
    if (document.id == own || (!only.empty() && label != only)) continue;
    const TopicUnit &a = map->units[unit], &b = map->units[document.place.unit];
    const double squared = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    if (squared > 9 * kSigma * kSigma) continue;
    const double weight = std::exp(-squared / (2 * kSigma * kSigma));
    shares[label] += weight;
    total += weight;
  }
  for (auto& [label, share] : shares) share /= total;
  return shares;
}

void check_scores(const Classification& result, const std::map<std::string, double>& expected) {
  CHECK(result.scores.size() == expected.size());
  for (const Tag& score : result.scores) {
    INFO(score.label);
    REQUIRE(expected.contains(score.label));
    CHECK(std::abs(score.confidence - expected.at(score.label)) < 1e-12);
  }
}

}  // namespace

TEST_CASE("voters by unit count as memory of the snapshot") {
  const test::TemporaryDirectory directory;
  Engine engine(make_database(directory / "db"), {});
  train_topics(engine, small_request());
  const api::StatusAnswer before = engine.status();
  engine.classify(Docid{1}, by_unit());
  CHECK(engine.status().bytes >= before.bytes + (before.documents + before.terms) * 4);
}

TEST_CASE_METHOD(TopicsIndex,
                 "a label's confidence is its share of the documents around the unit") {
  train_topics(engine, small_request());
  for (const std::string id : {"sea0", "music1", "garden2", "space199"}) {
    const auto result = engine.classify(UniqueId{id}, by_unit());
    const api::TopicPlace place = engine.topic_of(UniqueId{id});
    REQUIRE(result.unit);
    CHECK(result.unit->unit == place.unit);
    CHECK(result.unit->topic == place.topic);
    check_scores(result, shares_around(engine, *place.unit, id));
    REQUIRE(!result.tags.empty());
    CHECK(id.starts_with(result.tags.front().label));
  }
  const auto result =
      engine.classify(test::record("", "a sailor sailed his ship into the harbor"), by_unit());
  check_scores(result, shares_around(engine, result.unit->unit, ""));
  CHECK(result.tags.front().label == "sea");
}

TEST_CASE("a document without a place on the map neither votes nor gets a tag") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  // What is in one document only is left out by the map.
  test::ingest(path, {test::record("lone1", "quarks gluons", {"lone"})});
  Engine engine(path, Settings{});
  const auto map = train_topics(engine, small_request());
  CHECK_FALSE(engine.topic_of(UniqueId{"lone1"}).topic);
  for (const Example& example : {Example(UniqueId{"lone1"}), Example(test::record("", "gluons"))}) {
    const auto result = engine.classify(example, by_unit());
    CHECK(!result.unit);
    CHECK(result.tags.empty());
    CHECK(result.scores.empty());
  }
  for (const auto& [label, words] : test::kSubjects) {
    for (const Tag& score : engine.classify(test::record("", words), by_unit()).scores)
      CHECK(score.label != "lone");
  }
}

TEST_CASE_METHOD(TopicsIndex, "a tag by its unit is explained by the documents that lie there") {
  const auto map = train_topics(engine, small_request());
  ClassifyRequest request = by_unit();
  request.neighbors = 200;
  const auto result = engine.classify(UniqueId{"garden2"}, request);
  std::set<std::string> around;
  const TopicUnit& own = map->units[result.unit->unit];
  for (const PlacedDocument& document :
       Reading(engine).placed_documents(engine.matching("")).documents) {
    const TopicUnit& unit = map->units[document.place.unit];
    if (std::hypot(own.x - unit.x, own.y - unit.y) <= 3 * kSigma && document.id != "garden2")
      around.insert(document.id);
  }
  CHECK(result.unit->documents == around.size());
  REQUIRE(!result.voters->empty());
  for (const api::Voter& voter : *result.voters) CHECK(around.contains(voter.id));
  REQUIRE(result.reasons->size() == result.tags.size());
  for (std::size_t i = 0; i < result.tags.size(); ++i) {
    double share = 0;
    for (const api::TagVoter& voter : result.reasons->at(i).voters) share += voter.share;
    CHECK(share > 0);
    CHECK(share <= result.tags[i].confidence + 1e-12);
    CHECK(!result.reasons->at(i).terms.empty());
  }
  request.neighbors = 3;
  CHECK(engine.classify(UniqueId{"garden2"}, request).voters->size() == 3);
}

TEST_CASE_METHOD(TopicsIndex,
                 "a filter limits the voters by unit, and nothing is known of a strange text") {
  train_topics(engine, small_request());
  ClassifyRequest request = by_unit();
  request.filter = "label:music";
  const auto near = engine.classify(UniqueId{"music1"}, request);
  check_scores(near, shares_around(engine, near.unit->unit, "music1", "music"));
  CHECK(near.tags.front().confidence == 1);
  const auto far = engine.classify(test::record("", "quarks gluons"), by_unit());
  CHECK(far.tags.empty());
  CHECK(far.unit->documents == 0);
}

TEST_CASE("the vote by unit refuses an index without a map, and a map that does not fit") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  {
    Engine engine(path, Settings{});
    CHECK(code_of([&] { engine.classify(UniqueId{"sea0"}, by_unit()); }, "topics train") ==
          Errc::kNotFound);
    train_topics(engine, small_request());
  }
  Settings titles;
  titles.mirror.term_prefixes = {"S"};
  Engine other_terms(path, titles);
  CHECK(code_of([&] { other_terms.classify(UniqueId{"sea0"}, by_unit()); }, "train it again") ==
        Errc::kInvalidArgument);
  const std::string other = make_database(directory / "other.db");
  std::filesystem::copy_file(path + "/kindred.som", other + "/kindred.som");
  Engine other_index(other, Settings{});
  CHECK(code_of([&] { other_index.classify(UniqueId{"sea0"}, by_unit()); }, "train it again") ==
        Errc::kInvalidArgument);
}

TEST_CASE("every way to classify takes the vote by unit from the settings") {
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  Settings settings;
  settings.classify.vote = "unit";
  Engine engine(path, settings);
  train_topics(engine, small_request());

  for (const CrossValidation& how : {CrossValidation{}, CrossValidation{5, 1}}) {
    std::uint64_t right = 0;
    engine.cross_validate(how, {}, [&](const auto& truth, const Classification& result) {
      right += result.best && result.best->label == truth.front() ? 1 : 0;
    });
    CHECK(right >= 195);
  }
  CHECK(engine.suspects().wrong.found <= 10);

  const Record record = test::record("new", "roses and flowers, planted by gardeners");
  {
    Ingest ingest(engine);
    ingest.add(record);
    ingest.commit();
    CHECK(ingest.report().tagged == 1);
  }
  CHECK(test::terms_on_disk(path, "new", "XAUTO") == test::Terms{"XAUTOgarden"});
  engine.refresh();
  const auto batch =
      engine.classify(std::vector<Record>{record, test::record("", "violins and pianos")});
  CHECK(batch[0].tags.front().label == "garden");
  CHECK(batch[1].tags.front().label == "music");
  CHECK(tag_documents(engine, {}).written == 0);
}

TEST_CASE_METHOD(TopicsIndex, "documents that are labeled later vote by unit after a refresh") {
  train_topics(engine, small_request());
  const std::string words = "rockets planets astronauts orbiting telescopes moons";
  const auto has_label = [&](const std::string& label) {
    for (const Tag& score : engine.classify(test::record("", words), by_unit()).scores)
      if (score.label == label) return true;
    return false;
  };
  CHECK(!has_label("late"));
  test::ingest(path, {test::record("late", words, {"late"})});
  CHECK(engine.refresh());
  CHECK(has_label("late"));
}

TEST_CASE("a tagging run by unit that was interrupted starts over under another map") {
  struct Stop {};
  const test::TemporaryDirectory directory;
  const std::string path = make_database(directory / "topics.db");
  Settings settings;
  settings.classify.vote = "unit";
  settings.index.batch = 50;
  Engine engine(path, settings);
  train_topics(engine, small_request());
  std::vector<Record> untagged;
  for (int i = 0; i < 120; ++i)
    untagged.push_back(
        test::record("new" + std::to_string(i), "ships and sailors sailing to harbors"));
  test::write(path, untagged, settings);
  engine.refresh();
  TagRequest request;
  request.query = "ships";
  const auto interrupt = [&] {
    TagRequest stopped = request;
    stopped.restart = true;
    stopped.on_progress = [](const RunReport& report) {
      if (report.written > 0) throw Stop{};
    };
    CHECK_THROWS_AS(tag_documents(engine, stopped), Stop);
  };
  interrupt();
  SECTION("the same map") {
    CHECK(tag_documents(engine, request).continued > 0);
    engine.refresh();
    CHECK(engine.matching(request.query, "XAUTOsea").size() == 120);
  }
  SECTION("another map") {
    TrainTopicsRequest other = small_request();
    other.rows = 9;
    train_topics(engine, other);
    CHECK(tag_documents(engine, request).continued == 0);
  }
}
