// Labels that come and go while a mirror grows: every answer is that of a mirror from nothing.
#include <xapian.h>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

using ScoredLabels = std::vector<std::pair<std::string, double>>;

/// The tags of a record by a vote, or by the tuning's (""), then all scores if `scores`.
ScoredLabels labels_by(const Engine& engine, const std::string& vote, const Record& asked,
                       bool scores) {
  ClassifyRequest request;
  if (!vote.empty()) request.vote = vote;
  request.scores = scores;
  const Classification answer = engine.classify(asked, request);
  ScoredLabels labels;
  for (const std::vector<Tag>* const tags : {&answer.tags, &answer.scores})
    for (const Tag& tag : *tags) labels.emplace_back(tag.label, tag.confidence);
  return labels;
}

/// The engine answers as one that is opened now.
void check_labels(const Engine& engine, const std::vector<Record>& asked,
                  const std::vector<std::string>& votes) {
  const Engine fresh(engine.path(), engine.settings());
  CHECK(engine.labels() == fresh.labels());
  CHECK(engine.status().labels == fresh.status().labels);
  for (const Record& each : asked) {
    for (const std::string& vote : votes) {
      CAPTURE(each.text, vote);
      for (const bool scores : {false, true})
        CHECK(labels_by(engine, vote, each, scores) == labels_by(fresh, vote, each, scores));
    }
    RelatedRequest related;
    related.like = {each};
    related.weights = "labels";
    const auto found = engine.related(related).results, expected = fresh.related(related).results;
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].docid == expected[i].docid);
      CHECK(found[i].similarity == expected[i].similarity);
    }
  }
}

const std::vector<std::string> kVotes = {"similarity", "majority", "best",
                                         "nearest",    "centroid", "profile"};

/// Labels whose names are in byte order the other way round than they came.
std::vector<std::string> many_labels(std::size_t count) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i)
    labels.push_back("tie" + std::to_string(i * 37 % count + 100));
  return labels;
}

std::vector<Record> some_questions() {
  return {test::record("", "a rocket in lunar orbit"), test::record("", "the cat purrs"),
          test::record("", "interest on income in lunar orbit")};
}

}  // namespace

TEST_CASE("labels that come and go are followed without making the mirror compact") {
  const test::Collection collection;
  std::string said;
  Engine engine(collection.path, test::untuned(), [&](const std::string& message) {
    if (message.find("may have changed") != std::string::npos) said = message;
  });
  check_labels(engine, some_questions(), kVotes);
  const std::string mat = "The cat sleeps on the warm mat and purrs";
  const std::vector<std::vector<Record>> steps = {
      {test::record("moon1", "the rocket enters lunar orbit", {"space"})},
      {test::record("moon2", "a rocket to the lunar base", {"Apollo", "space"})},  // the first name
      {test::record("cat1", mat, {"cats"}),
       test::record("cat2", "A sleeping cat purrs when it is stroked", {"animals"})},  // no pets
      {test::record("moon1", "the rocket enters lunar orbit"),
       test::record("moon2", "a rocket to the lunar base")},
      {test::record("cat1", mat, {"animals", "pets"})},  // pets, as before
      {test::record("moon2", "a rocket to the lunar base", {"space", "zone", "Apollo"})},
  };
  for (std::size_t step = 0; step < steps.size(); ++step) {
    CAPTURE(step);
    std::vector<Record> records = steps[step];
    for (Record& record : records) record.replaces_labels = true;
    test::write(collection.path, records);
    said.clear();
    REQUIRE(engine.refresh());
    CHECK(said.find("compact") == std::string::npos);
    CHECK(said != "");
    check_labels(engine, some_questions(), kVotes);
  }
}

TEST_CASE("ties between labels end by their names, in whichever order they came") {
  const test::Collection collection;
  Settings settings = test::untuned();
  settings.classify.threshold = 0.1;
  Engine engine(collection.path, settings);
  const std::vector<std::string> labels = many_labels(60);
  for (std::size_t i = 0; i < labels.size(); i += 20) {
    const auto first = labels.begin() + static_cast<std::ptrdiff_t>(i);
    test::write(collection.path,
                {test::record("moon" + std::to_string(i), "the rocket enters lunar orbit",
                              {first, first + 20}),
                 test::record("tax1", "The tax on income rises with the new budget",
                              {"finance", labels[i], labels[i + 7], labels[i + 3]})});
    REQUIRE(engine.refresh());
    check_labels(engine, some_questions(), kVotes);
  }
  const auto tags = labels_by(engine, "similarity", some_questions()[0], false);
  REQUIRE(tags.size() == 5);
  CHECK(tags[0].first == "tie100");
  CHECK(tags[4].first == "tie104");
}

TEST_CASE("a blend compares the labels that there are, whichever came and went") {
  const test::TopicalCollection collection(100);
  Tuning tuning;
  {
    Engine engine(collection.path, test::untuned());
    TuneRequest request = quick_tune_request();
    request.term_weights = {TermWeightKind::kKl};
    tuning = engine.tune(request).tuning;
  }
  tuning.method.vote = VoteKind::kBlend;
  tuning.method.cut = GENERATE(CutKind::kThreshold, CutKind::kScut);
  tuning.method.cut_value = 0.01;
  tuning.other_threshold = 0.02;
  tuning.combiner = Combiner{GENERATE(false, true), -1, {1, 0.5, 2, 3, 0.2, 0, 1, 0.3}, {}};
  write_tuning(collection.path, tuning);
  Settings settings = test::untuned();
  settings.classify.use_tuning = true;
  Engine engine(collection.path, settings);
  std::vector<Record> asked = test::topical_documents(3, true, 7);
  asked.push_back(test::record("", "a rocket in lunar orbit"));
  for (Record& each : asked) each.id.clear();
  const std::vector<std::string> votes = {"", "centroid"};
  check_labels(engine, asked, votes);
  std::vector<Record> topical = test::topical_documents(10);
  for (std::size_t step = 0; step < 4; ++step) {
    CAPTURE(step);
    Record& changed = topical[step];
    changed.labels = {step % 2 == 0 ? "Zero" + std::to_string(step) : "later"};
    changed.replaces_labels = true;
    Record first = topical[0];
    first.labels = {"another" + std::to_string(step)};  // whose last document leaves again
    first.replaces_labels = true;
    test::write(collection.path, {changed, first});
    REQUIRE(engine.refresh());
    check_labels(engine, asked, votes);
  }
}
