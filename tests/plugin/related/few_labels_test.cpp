// Tags by few labels: texts and voters that meet by documents without labels.
#include "plugin/related/few_labels.h"

#include <filesystem>
#include <string>
#include <vector>

#include "plugin/reading.h"
#include "plugin/snapshot/neighbor_lift.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::record;

namespace {

/// Documents on boats and on gardens. Those with labels use other words than those that ask, and
/// others, without labels, use both.
std::vector<Record> two_worlds() {
  std::vector<Record> records = {record("sails", "ship sail", {"boats"}),
                                 record("roses", "rose tulip", {"gardens"})};
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    records.push_back(record("harbor" + number, "ship sail quay pier", {}));
    records.push_back(record("bed" + number, "rose tulip spade soil", {}));
  }
  return records;
}

ClassifyRequest all_of(const std::string& vote) {
  ClassifyRequest request;
  request.vote = vote;
  request.scores = request.voters = request.explain = true;
  request.min_confidence = 0;
  return request;
}

double confidence_in(const Classification& answer, const std::string& label) {
  for (const Tag& tag : answer.scores)
    if (tag.label == label) return tag.confidence;
  return 0;
}

}  // namespace

TEST_CASE("a text meets a label by documents that nobody has labeled") {
  const test::EngineOf engine(two_worlds(), test::untuned());
  const Record text = record("", "quay pier", {});
  CHECK(engine.classify(text, all_of("similarity")).scores.empty());

  const Classification answer = engine.classify(text, all_of("few"));
  REQUIRE(answer.best);
  CHECK(answer.best->label == "boats");
  CHECK(confidence_in(answer, "boats") == .5);  // one document says so
  CHECK(confidence_in(answer, "gardens") == 0);
  REQUIRE(answer.voters->size() == 1);
  CHECK(answer.voters->front().similarity == 0);  // they share no word
  CHECK(answer.reasons->front().terms.empty());
}

TEST_CASE("few labels are told so by default, and many, or by the dot product, by similarity") {
  const auto vote_of = [](std::size_t documents, const char* smart) {
    Settings settings = test::untuned();
    settings.weighting.smart = smart;
    const test::EngineOf engine(test::topical_documents(documents), settings);
    return decision_rule({}, settings.classify, Reading(engine).snapshot->voting()).vote;
  };
  CHECK(vote_of(20, "ltc") == VoteKind::kFew);
  CHECK(vote_of(FewLabels::kMostVoters, "lrc") == VoteKind::kFew);
  CHECK(vote_of(FewLabels::kMostVoters + 1, "ltc") == VoteKind::kSimilarity);
  CHECK(vote_of(20, "ltn") == VoteKind::kSimilarity);
}

TEST_CASE("where each document has one label, a text gets one, however unsure that is") {
  const test::EngineOf single(test::topical_documents(20, false), test::untuned());
  const Record text = record("", "topic1w1x topic2w2x topic3w3x shared1x", {});
  CHECK(single.classify(text).tags.size() == 1);

  ClassifyRequest more;
  more.limit = 3;
  CHECK(single.classify(text, more).tags.size() > 1);
}

TEST_CASE("a document of the index is tagged by few as if the index did not hold it") {
  std::vector<Record> records = test::topical_documents(60, false);
  const Record asked = records[7];
  const test::EngineOf with(records, test::untuned());
  records.erase(records.begin() + 7);
  const test::EngineOf without(records, test::untuned());

  // The weights of terms know the document, so the figures are near each other, not equal.
  const Classification stored = with.classify(UniqueId{asked.id}, all_of("few"));
  const Classification fresh = without.classify(record("", asked.text, {}), all_of("few"));
  REQUIRE(stored.voters->size() == fresh.voters->size());
  for (const api::Voter& voter : *stored.voters) CHECK(voter.id != asked.id);
  for (const Tag& tag : fresh.scores)
    CHECK(confidence_in(stored, tag.label) == Approx(tag.confidence).margin(.05));
}

TEST_CASE("a filter leaves few voters, and the others are still there to meet by") {
  const test::EngineOf engine(two_worlds(), test::untuned());
  ClassifyRequest request = all_of("few");
  request.filter = "NOT label:boats";
  CHECK(engine.classify(record("", "quay pier", {}), request).scores.empty());
  request.filter = "label:boats";
  CHECK(engine.classify(record("", "quay pier", {}), request).scores.size() == 1);
}

TEST_CASE("an index without labels, and a text without known words, get no tags by few") {
  const test::EngineOf unlabeled({record("a", "ship sail", {})}, test::untuned());
  CHECK(unlabeled.classify(record("", "ship", {})).tags.empty());
  const test::EngineOf engine(two_worlds(), test::untuned());
  CHECK(engine.classify(record("", "unheard", {})).tags.empty());
  CHECK(engine.classify(record("", "", {})).tags.empty());
}

TEST_CASE("only a vote that hears few learns what terms weigh") {
  const test::TopicalCollection collection(220);
  const Engine engine(collection.path, test::untuned());
  const Record text = record("", "topic1w1x topic1w2x", {});
  engine.classify(text, all_of("similarity"));
  CHECK(!std::filesystem::exists(lift_path(collection.path)));
  engine.classify(text);
  CHECK(std::filesystem::exists(lift_path(collection.path)));
}

TEST_CASE("a tuning of few documents weighs what few say, and one of many does not") {
  const auto uses_few = [](std::size_t documents) {
    const test::EngineOf engine(test::topical_documents(documents), test::untuned());
    return tune(engine, {}).tuning.combiner.uses_few();
  };
  CHECK(uses_few(120));
  CHECK(!uses_few(FewLabels::kMostVoters + 20));
}
