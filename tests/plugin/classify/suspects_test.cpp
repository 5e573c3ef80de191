// Documents whose labels are in doubt, through the C++ face.
#include "plugin/engine.h"

#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/edits.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::Collection;
using test::record;

namespace {

const Record kWrong = record("wrong1", "Income tax rates rise in the budget of the bank", {"pets"});

}  // namespace

TEST_CASE("who keeps a document as it is rejects the label that speaks against it") {
  const Collection collection({kWrong});
  Engine engine(collection.path, {});
  std::vector<DocumentEdit> edits(1);
  edits[0].id = "wrong1";
  edits[0].reject = {"finance"};
  edit_documents(collection.path, engine.settings(), edits);
  engine.refresh();
  for (const api::Suspect& suspect : engine.suspects().wrong.suspects)
    CHECK((suspect.id != "wrong1" || suspect.rival->label != "finance"));
}

TEST_CASE("where labels agree with their neighborhood there is no suspect") {
  test::TemporaryDirectory directory;
  test::write(directory / "db",
              {record("a", "cat purrs", {"pets"}), record("b", "cat purrs", {"pets"}),
               record("c", "tax rises", {"finance"}), record("d", "tax rises", {"finance"})});
  CHECK(Engine(directory / "db", {}).suspects().wrong.suspects.empty());
  CHECK(Engine(directory / "db", {}).suspects().missing.suspects.empty());
  test::write(directory / "none", {record("a", "cat purrs"), record("b", "tax rises")});
  CHECK(Engine(directory / "none", {}).suspects().wrong.suspects.empty());
}

TEST_CASE("a tag is missing where others like it have it beside the same labels") {
  std::vector<Record> records;
  for (int i = 0; i < 20; ++i) {
    const std::string id = std::to_string(i);
    records.push_back(record("bread" + id, "oven dough flour bake" + id, {"bread", "vegan"}));
    records.push_back(record("meat" + id, "grill smoke beef" + id, {"meat"}));
  }
  records.push_back(record("lacks", "oven dough flour", {"bread"}));
  records.push_back(record("wrong", "grill smoke beef", {"vegan"}));
  const test::EngineOf engine(records, test::untuned());
  const api::SuspectsAnswer report = engine.suspects();
  REQUIRE(report.missing.found == 1);
  CHECK(report.missing.suspects.front().id == "lacks");
  CHECK(report.missing.suspects.front().label == "vegan");
  CHECK(report.missing.clear == 1);
  REQUIRE(report.wrong.found == 1);
  CHECK(report.wrong.suspects.front().id == "wrong");
  CHECK(report.wrong.suspects.front().label == "vegan");
  CHECK(report.wrong.suspects.front().rival->label == "meat");
  SuspectsRequest rest;
  rest.offset = 1;
  CHECK(engine.suspects(rest).missing.found == 1);
  CHECK(engine.suspects(rest).missing.suspects.empty());
}

TEST_CASE("suspects are judged by the vote that tags are given by: prototypes, filters, tuning") {
  SECTION("prototypes alone vote, if the settings say so") {
    const Collection collection({kWrong});
    Settings settings;
    settings.classify.vote = "prototype";
    settings.classify.prototypes = "id:cat1 OR id:tax2";
    const auto suspects = Engine(collection.path, settings).suspects().wrong.suspects;
    REQUIRE_FALSE(suspects.empty());
    CHECK(suspects.front().id == "wrong1");
    for (const api::Suspect& suspect : suspects) {
      for (const api::Voter& voter : suspect.voters)
        CHECK((voter.id == "cat1" || voter.id == "tax2"));
    }
  }
  SECTION("under a tuning, confidences and neighbors are those of classify") {
    test::TopicalCollection collection(100, false);
    test::write(collection.path,
                {record("wrong", "topic2w1x topic2w3x topic2w5x topic2w8x", {"label4"})});
    TuneRequest request;
    request.filter = "NOT id:d7";
    write_tuning(collection.path, tune(Engine(collection.path, test::untuned()), request).tuning);
    const Engine engine(collection.path, {});
    REQUIRE(engine.status().tuning);
    const auto suspects = engine.suspects().wrong.suspects;
    REQUIRE_FALSE(suspects.empty());
    CHECK(suspects.front().id == "wrong");
    CHECK(suspects.front().rival->label == "label2");
    for (const api::Suspect& suspect : suspects) {
      ClassifyRequest ask;
      ask.scores = ask.voters = true;
      const Classification c = engine.classify(UniqueId{suspect.id}, ask);
      const auto score_of = [&](const std::string& label) {
        for (const Tag& tag : c.scores)
          if (tag.label == label) return tag.confidence;
        return 0.0;
      };
      CHECK(score_of(suspect.label) == suspect.confidence);
      CHECK(score_of(suspect.rival->label) == suspect.rival->confidence);
      REQUIRE(c.voters->size() == suspect.voters.size());
      for (std::size_t i = 0; i < c.voters->size(); ++i) {
        CHECK(c.voters->at(i).id == suspect.voters[i].id);
        CHECK(c.voters->at(i).similarity == suspect.voters[i].similarity);
        CHECK(c.voters->at(i).id != "d7");
      }
    }
  }
}
