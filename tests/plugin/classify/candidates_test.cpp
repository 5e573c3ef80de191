// Documents that a label would suit, through the C++ face, and by classifying each document.
#include "plugin/answers/candidates.h"

#include <algorithm>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/documents/tag_edit.h"
#include "plugin/engine.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::code_of;
using test::Collection;
using test::record;

namespace {

const Record kCat = record("cat9", "The cat sleeps and purrs on the mat");
const Record kHalf = record("half", "The cat of the bank guards the interest", {"finance"});

CandidatesRequest of_label(const std::string& label) {
  CandidatesRequest request;
  request.label = label;
  request.limit = 1000;
  return request;
}

std::vector<std::string> ids_of(const CandidateReport& report) {
  std::vector<std::string> ids;
  for (const Candidate& candidate : report.candidates) ids.push_back(candidate.id);
  return ids;
}

bool is_listed(const CandidateReport& report, const std::string& id) {
  const auto ids = ids_of(report);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
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
  const CandidateReport report = engine.candidates(of_label(label));
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
    TopicsRequest map;
    map.rows = map.columns = 4;
    Engine(path, settings).train_topics(map);
  }
  SECTION("by a tuned blend") {
    write_tuning(path, Engine(path, settings).tune().tuning);
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
  settings.classify.k = 4;
  SECTION("of similarities") {}
  SECTION("by the most similar document") { settings.classify.vote = "best"; }
  SECTION("by the nearest document") { settings.classify.vote = "nearest"; }
  const Engine engine(directory / "db", settings);
  check_by_brute_force(engine, "rare");
}

TEST_CASE("a candidate is shown with its title and labels, and with reasons if asked for") {
  Record titled = kHalf;
  titled.title = "Half a cat";
  const Collection collection({titled, kCat});
  const Engine engine(collection.path, {});
  CandidatesRequest request = of_label("pets");
  request.explain = true;
  const CandidateReport report = engine.candidates(request);
  CHECK(report.revision == engine.status().revision);
  REQUIRE(report.candidates.size() >= 2);
  CHECK(report.candidates[0].id == "cat9");
  CHECK(report.candidates[0].labels.empty());
  const auto half = std::find_if(report.candidates.begin(), report.candidates.end(),
                                 [](const Candidate& c) { return c.id == "half"; });
  REQUIRE(half != report.candidates.end());
  CHECK(half->title == "Half a cat");
  CHECK(half->labels == std::vector<std::string>{"finance"});
  for (const Candidate& candidate : report.candidates) {
    CHECK(candidate.reason.label == "pets");
    REQUIRE_FALSE(candidate.reason.voters.empty());
    double share = 0;
    for (const TagVoter& voter : candidate.reason.voters) {
      const Voter& neighbor = candidate.neighbors.at(voter.neighbor);
      CHECK(neighbor.docid != candidate.docid);
      CHECK(std::find(neighbor.labels.begin(), neighbor.labels.end(), "pets") !=
            neighbor.labels.end());
      share += voter.share;
    }
    CHECK(share == Approx(candidate.confidence));
    CHECK_FALSE(candidate.reason.terms.empty());
  }
  request.explain = false;
  for (const Candidate& candidate : engine.candidates(request).candidates) {
    CHECK(candidate.neighbors.empty());
    CHECK(candidate.reason.voters.empty());
  }
}

TEST_CASE("documents that refuse a label or opted out are no candidates") {
  Record refuses = kCat, opted_out = kCat;
  refuses.id = "refuses";
  refuses.rejected_labels = {"pets"};
  opted_out.id = "opted_out";
  opted_out.auto_tag = false;
  const Collection collection({kCat, refuses, opted_out});
  const Engine engine(collection.path, {});
  const CandidateReport report = engine.candidates(of_label("pets"));
  CHECK(is_listed(report, "cat9"));
  CHECK_FALSE(is_listed(report, "refuses"));
  CHECK_FALSE(is_listed(report, "opted_out"));
  CHECK(report.found == report.candidates.size());
  CHECK(is_listed(engine.candidates(of_label("animals")), "refuses"));
}

TEST_CASE("documents with the label as a predicted tag are candidates only if asked for") {
  const Collection collection({kCat});
  Engine engine(collection.path, {});
  tag_documents(engine, {});
  engine.refresh();
  REQUIRE(engine.matching("id:cat9 predicted:pets").size() == 1);
  CandidatesRequest request = of_label("pets");
  CHECK_FALSE(is_listed(engine.candidates(request), "cat9"));
  request.include_predicted = true;
  const CandidateReport report = engine.candidates(request);
  REQUIRE(is_listed(report, "cat9"));
  for (const Candidate& candidate : report.candidates) {
    CHECK(std::find(candidate.labels.begin(), candidate.labels.end(), "pets") ==
          candidate.labels.end());
    if (candidate.id != "cat9") continue;
    CHECK(candidate.labels.empty());
    CHECK(candidate.predicted == std::vector<std::string>{"animals", "pets"});
  }
  TagEdit edit;
  edit.remove = {"pets"};
  edit_tags(collection.path, {}, {"cat9"}, edit);
  CHECK_FALSE(is_listed(Engine(collection.path, {}).candidates(request), "cat9"));
}

TEST_CASE("candidates can be limited by a query, by confidence and in number") {
  const Collection collection({kCat, kHalf});
  const Engine engine(collection.path, {});
  const CandidateReport all = engine.candidates(of_label("pets"));
  REQUIRE(all.candidates.size() >= 2);
  CandidatesRequest request = of_label("pets");
  request.limit = 1;
  CHECK(ids_of(engine.candidates(request)) == std::vector<std::string>{"cat9"});
  CHECK(engine.candidates(request).found == all.found);
  request = of_label("pets");
  request.filter = "label:finance";
  const CandidateReport filtered = engine.candidates(request);
  CHECK(filtered.examined == 4);
  CHECK(is_listed(filtered, "half"));
  CHECK_FALSE(is_listed(filtered, "cat9"));
  request = of_label("pets");
  request.min_confidence = all.candidates.front().confidence;
  for (const Candidate& candidate : engine.candidates(request).candidates)
    CHECK(candidate.confidence >= request.min_confidence);
  CHECK(is_listed(engine.candidates(request), "cat9"));
  CHECK_FALSE(is_listed(engine.candidates(request), "half"));
}

TEST_CASE("a label that is never predicted can be asked for") {
  const Collection collection({kCat});
  Settings settings;
  settings.classify.never = {"pets"};
  CHECK(is_listed(Engine(collection.path, settings).candidates(of_label("pets")), "cat9"));
}

TEST_CASE("a label that no document has is an error with the nearest names") {
  const Collection collection;
  const Engine engine(collection.path, {});
  CHECK(code_of([&] { engine.candidates(of_label("pet")); }) == Errc::kNotFound);
  CHECK_THROWS_WITH(engine.candidates(of_label("pet")),
                    "no document has the label 'pet'; the nearest names are 'pets', 'animals', "
                    "'finance'");
  CHECK(code_of([&] { engine.candidates({}); }) == Errc::kNotFound);
}

TEST_CASE("wrong requests for candidates are refused, and a search can be canceled") {
  const Collection collection({kCat});
  const Engine engine(collection.path, {});
  CandidatesRequest request = of_label("pets");
  request.limit = 0;
  CHECK(code_of([&] { engine.candidates(request); }) == Errc::kInvalidArgument);
  request = of_label("pets");
  for (const double confidence : {-0.1, 1.1}) {
    request.min_confidence = confidence;
    CHECK(code_of([&] { engine.candidates(request); }) == Errc::kInvalidArgument);
  }
  request = of_label("pets");
  request.filter = "tag:x";
  CHECK(code_of([&] { engine.candidates(request); }) == Errc::kInvalidArgument);
  request = of_label("pets");
  std::uint64_t told = 0;
  request.on_progress = [&](std::uint64_t classified, std::uint64_t all) {
    CHECK(classified == all);
    told = all;
    return true;
  };
  CHECK(engine.candidates(request).examined == told);
  request.on_progress = [](std::uint64_t, std::uint64_t) { return false; };
  CHECK(code_of([&] { engine.candidates(request); }) == Errc::kCanceled);
}
