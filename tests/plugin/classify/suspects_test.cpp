// Documents whose labels are in doubt, through the C++ face.
#include "plugin/answers/suspects.h"

#include <algorithm>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/documents/tag_edit.h"
#include "plugin/engine.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::Collection;
using test::record;

namespace {

const Record kWrong = record("wrong1", "Income tax rates rise in the budget of the bank", {"pets"});

}  // namespace

TEST_CASE("a document with a wrong label is the first suspect, with the neighbors as reasons") {
  const Collection collection({kWrong});
  const auto suspects = Engine(collection.path, {}).suspects().suspects;
  REQUIRE_FALSE(suspects.empty());
  const Suspect& first = suspects.front();
  CHECK(first.id == "wrong1");
  CHECK(first.labels == std::vector<std::string>{"pets"});
  CHECK(first.weakest.label == "pets");
  CHECK(first.weakest.confidence == 0);
  CHECK(first.strongest.label == "finance");
  CHECK(first.strongest.confidence > 0.9);
  CHECK(first.margin() == first.strongest.confidence);
  REQUIRE_FALSE(first.neighbors.empty());
  for (const Voter& voter : first.neighbors) CHECK(voter.id != "wrong1");
  REQUIRE_FALSE(first.proposed.empty());
  CHECK(first.proposed.front().label == "finance");
  REQUIRE(first.reasons.size() == first.proposed.size());
  CHECK(first.reasons.front().label == "finance");
  CHECK_FALSE(first.reasons.front().voters.empty());
  for (std::size_t i = 1; i < suspects.size(); ++i) {
    CHECK(suspects[i].margin() <= suspects[i - 1].margin());
    CHECK(suspects[i].margin() > 0);
  }
}

TEST_CASE("who keeps a document as it is rejects the label that speaks against it") {
  const Collection collection({kWrong});
  Engine engine(collection.path, {});
  std::vector<DocumentEdit> edits(1);
  edits[0].id = "wrong1";
  edits[0].edit.remove = {"finance"};
  edit_documents(collection.path, engine.settings(), edits);
  engine.refresh();
  for (const Suspect& suspect : engine.suspects().suspects) {
    CHECK((suspect.id != "wrong1" || suspect.strongest.label != "finance"));
  }
}

TEST_CASE("suspects and class geometry tell how far they are, and can be canceled") {
  const Collection collection({kWrong});
  const Engine engine(collection.path, {});
  const std::uint64_t labeled = engine.status().labeled;
  std::uint64_t told = 0;
  const auto tell = [&](std::uint64_t done, std::uint64_t all) {
    CHECK(done == all);
    told += all;
    return true;
  };
  const auto cancel = [](std::uint64_t, std::uint64_t) { return false; };
  SuspectsRequest request;
  request.on_progress = tell;
  engine.suspects(request);
  CHECK(told == labeled);
  engine.class_geometry(tell);
  CHECK(told == 2 * labeled);
  request.on_progress = cancel;
  CHECK_THROWS_AS(engine.suspects(request), Error);
  CHECK_THROWS_AS(engine.class_geometry(cancel), Error);
}

TEST_CASE("suspects and their neighbors have titles, if the index does") {
  Record titled = kWrong, other = record("tax3", "Income tax in the budget", {"finance"});
  titled.title = "Taxing pets";
  other.title = "Taxing incomes";
  const Collection collection({titled, other});
  const Suspect first = Engine(collection.path, {}).suspects().suspects.front();
  CHECK(first.title == "Taxing pets");
  REQUIRE(first.neighbor_titles.size() == first.neighbors.size());
  for (std::size_t i = 0; i < first.neighbors.size(); ++i)
    CHECK(first.neighbor_titles[i] == (first.neighbors[i].id == "tax3" ? "Taxing incomes" : ""));
}

TEST_CASE("suspects can be limited in number, and their judges by a query") {
  const Collection collection({kWrong, record("wrong2", "The cat purrs", {"finance"})});
  const Engine engine(collection.path, {});
  SuspectsRequest request;
  request.limit = 1;
  CHECK(engine.suspects(request).suspects.size() == 1);
  request.limit = 20;
  request.filter = "label:pets";
  for (const Suspect& suspect : engine.suspects(request).suspects) {
    for (const Voter& voter : suspect.neighbors) {
      CHECK(std::find(voter.labels.begin(), voter.labels.end(), "pets") != voter.labels.end());
    }
  }
  request.limit = 0;
  CHECK_THROWS_AS(engine.suspects(request), Error);
}

TEST_CASE("suspects can be asked for among the documents that match a query") {
  const Collection collection({kWrong, record("wrong2", "The cat purrs", {"finance"})});
  const Engine engine(collection.path, {});
  const SuspectReport all = engine.suspects();
  CHECK(all.revision == engine.status().revision);
  CHECK(all.examined == engine.status().labeled);
  CHECK(all.found == all.suspects.size());
  SuspectsRequest request;
  request.query = "id:wrong2 OR id:zen1";
  request.limit = 5;
  const SuspectReport one = engine.suspects(request);
  CHECK(one.examined == 1);
  REQUIRE(one.suspects.size() == 1);
  const auto same = std::find_if(all.suspects.begin(), all.suspects.end(),
                                 [](const Suspect& suspect) { return suspect.id == "wrong2"; });
  REQUIRE(same != all.suspects.end());
  CHECK(one.suspects.front().margin() == same->margin());
}

TEST_CASE("where labels agree with their neighborhood there is no suspect") {
  test::TemporaryDirectory directory;
  test::write(directory / "db",
              {record("a", "cat purrs", {"pets"}), record("b", "cat purrs", {"pets"}),
               record("c", "tax rises", {"finance"}), record("d", "tax rises", {"finance"})});
  CHECK(Engine(directory / "db", {}).suspects().suspects.empty());
  test::write(directory / "none", {record("a", "cat purrs"), record("b", "tax rises")});
  CHECK(Engine(directory / "none", {}).suspects().suspects.empty());
}

TEST_CASE("suspects are judged by the vote that tags are given by: prototypes, filters, tuning") {
  SECTION("prototypes alone vote, if the settings say so") {
    const Collection collection({kWrong});
    Settings settings;
    settings.classify.vote = "prototype";
    settings.classify.prototypes = "id:cat1 OR id:tax2";
    const auto suspects = Engine(collection.path, settings).suspects().suspects;
    REQUIRE_FALSE(suspects.empty());
    CHECK(suspects.front().id == "wrong1");
    for (const Suspect& suspect : suspects) {
      for (const Voter& voter : suspect.neighbors)
        CHECK((voter.id == "cat1" || voter.id == "tax2"));
    }
  }
  SECTION("under a tuning, confidences and neighbors are those of classify") {
    const bool several = GENERATE(false, true);
    test::TopicalCollection collection(100, several);
    test::write(collection.path,
                {record("wrong", "topic2w1x topic2w3x topic2w5x topic2w8x", {"label4"})});
    TuneRequest request;
    request.filter = "NOT id:d7";
    write_tuning(collection.path, Engine(collection.path, test::untuned()).tune(request).tuning);
    const Engine engine(collection.path, {});
    REQUIRE(engine.status().tuning);
    const auto suspects = engine.suspects().suspects;
    REQUIRE_FALSE(suspects.empty());
    CHECK(suspects.front().id == "wrong");
    CHECK(suspects.front().strongest.label == "label2");
    for (const Suspect& suspect : suspects) {
      ClassifyRequest ask;
      ask.scores = ask.neighbors = true;
      const Classification c = engine.classify(UniqueId{suspect.id}, ask);
      const auto score_of = [&](const std::string& label) {
        for (const Tag& tag : c.scores)
          if (tag.label == label) return tag.confidence;
        return 0.0;
      };
      CHECK(score_of(suspect.weakest.label) == suspect.weakest.confidence);
      CHECK(score_of(suspect.strongest.label) == suspect.strongest.confidence);
      REQUIRE(c.neighbors.size() == suspect.neighbors.size());
      for (std::size_t i = 0; i < c.neighbors.size(); ++i) {
        CHECK(c.neighbors[i].id == suspect.neighbors[i].id);
        CHECK(c.neighbors[i].similarity == suspect.neighbors[i].similarity);
        CHECK(c.neighbors[i].id != "d7");
      }
    }
  }
}
