// Votes on small collections against results worked out by hand.
#include "plugin/votes/votes.h"

#include <set>

#include "gpu/document_set.h"
#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/label_comparison.h"
#include "plugin/votes/combiner.h"
#include "plugin/votes/neighbor_votes.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::record;

namespace {

Record question() { return record("", "a cat that purrs, a dog, a budget"); }

/// The scores of all labels by a vote, and the neighbors that voted.
Classification ask(const Engine& engine, const std::string& vote, std::int64_t k = 4) {
  ClassifyRequest request;
  request.vote = vote;
  request.neighbors = k;
  request.min_confidence = 0;
  request.limit = 100;
  request.voters = true;
  return engine.classify(question(), request);
}

std::map<std::string, double> scores_of(const Classification& c) {
  std::map<std::string, double> scores;
  for (const Tag& tag : c.tags) scores[tag.label] = tag.confidence;
  return scores;
}

/// Three rows over three terms. Rows 0 and 1 have label 0, row 2 has label 1. The lengths are 5, 1
/// and 5, so unit rows are easy to work out by hand.
struct ThreeRows {
  Csr counts;
  std::vector<std::uint64_t> label_begin = {0, 1, 2, 3};
  RowSet rows = RowSet::all(3);
  std::vector<std::uint32_t> label = {0, 0, 1};
  TermWeighting weighting{{1, 1, 1}, {0, 1, 2, 3, 4}};
  ThreeRows() {
    counts.columns = 3;
    counts.row_begin = {0, 2, 3, 5};
    counts.column = {0, 1, 0, 1, 2};
    counts.count = {3, 4, 1, 4, 3};
  }
  ClassSums sums() const {
    const LabelView labels{3, label_begin.data(), label.data()};
    const auto mirror = test::SegmentedMirror(counts.view(), labels).list();
    return {DocumentSet(mirror, rows), weighting, 2, 1};
  }
};

using test::code_of;

const std::vector<std::uint32_t> kBothLabels = {0, 1};

double odds(double in, double out) { return std::log((in + .03) / (out + .03)); }

}  // namespace

TEST_CASE("a neighbor that is no document is an error of the device") {
  const ThreeRows three;
  const auto mirror =
      test::SegmentedMirror(three.counts.view(), {3, three.label_begin.data(), three.label.data()})
          .kill(std::array{1u})
          .list();
  NeighborVotes votes(2);
  for (const std::uint32_t number : {2u, 4u, UINT32_MAX}) {  // dead, and never there
    const std::vector<Neighbor> found = {{1, .5F}, {number, .25F}};
    CHECK(code_of([&] { votes.count(found, *mirror, 1); }) == Errc::kDevice);
    CHECK(code_of([&] { mirror->place_of_neighbor(number); }) == Errc::kDevice);
  }
  CHECK(mirror->place_of_neighbor(3) == 2);
}

TEST_CASE("majority counts heads, similarity their similarities") {
  const test::EngineOf engine(test::small_collection(), test::untuned());
  const Classification heads = ask(engine, "majority");
  std::map<std::string, double> wanted;
  for (const api::Voter& voter : *heads.voters) {
    for (const std::string& label : voter.labels) wanted[label] += 1.0 / 4;
  }
  REQUIRE(heads.voters->size() == 4);
  CHECK(scores_of(heads) == wanted);
  const Classification c = ask(engine, "similarity");
  double total = 0, animals = 0;
  for (const api::Voter& voter : *heads.voters) {
    total += voter.similarity;
    if (voter.labels.front() == "animals") animals += voter.similarity;
  }
  CHECK(scores_of(c)["animals"] == Approx(animals / total));
}

TEST_CASE("best takes each label's most similar document, nearest only the most similar of all") {
  const test::EngineOf engine(test::small_collection(), test::untuned());
  const Classification best = ask(engine, "best");
  std::map<std::string, double> wanted;
  for (const api::Voter& voter : *best.voters) {
    for (const std::string& label : voter.labels)
      wanted[label] = std::max<double>(wanted[label], voter.similarity);
  }
  CHECK(scores_of(best) == wanted);
  const Classification nearest = ask(engine, "nearest");
  REQUIRE(nearest.voters->size() == 1);
  for (const Tag& tag : nearest.tags) CHECK(tag.confidence == nearest.voters->at(0).similarity);
  CHECK(nearest.tags.size() == nearest.voters->at(0).labels.size());
}

TEST_CASE("only prototypes vote in prototype") {
  const test::EngineOf engine(test::small_collection(), test::untuned());
  ClassifyRequest request;
  request.vote = "prototype";
  request.min_confidence = 0;
  request.voters = true;
  CHECK_THROWS_AS(engine.classify(question(), request), Error);
  request.prototypes = "id:cat2 OR id:tax1";
  const Classification c = engine.classify(question(), request);
  REQUIRE(c.voters->size() == 2);
  for (const api::Voter& voter : *c.voters) CHECK((voter.id == "cat2" || voter.id == "tax1"));
  request.filter = "label:finance";
  CHECK(engine.classify(question(), request).voters->size() == 1);
}

TEST_CASE("centroid and profile compare with labels as wholes") {
  // unit rows: (.6, .8, 0), (1, 0, 0), (0, .8, .6); S(0) = (1.6, .8, 0), S(1) = (0, .8, .6)
  const ThreeRows three;
  const std::vector<std::uint32_t> terms = {0, 2};
  const std::vector<double> weights = {.8, .6};
  const ClassSums sums = three.sums();
  LabelComparison comparison(sums);
  comparison.compare({terms, weights}, kBothLabels, nullptr);
  const auto cosines = comparison.cosines(), profiles = comparison.profiles();
  CHECK(cosines[0] == Approx(.8 * 1.6 / std::sqrt(1.6 * 1.6 + .8 * .8)));
  CHECK(cosines[1] == Approx(.6 * .6));
  const double prior = 1.4 * std::log((2.4 + .09) / (1.4 + .09));
  CHECK(profiles[0] == Approx(.8 * odds(1.6, 0) + .6 * odds(0, .6) - prior));
  CHECK(profiles[1] == Approx(.8 * odds(0, 1.6) + .6 * odds(.6, 0) + prior));
}

TEST_CASE("a document that is left out leaves no trace in the class sums") {
  const ThreeRows three;
  ThreeRows without;
  without.rows.reset(0);
  const std::vector<std::uint32_t> terms = {0, 1}, own = {0};
  const std::vector<double> weights = {.6, .8};
  const LeftOut left_out{{terms, weights}, own};
  const ClassSums all = three.sums(), others = without.sums();
  LabelComparison a(all), b(others);
  a.compare({terms, weights}, kBothLabels, &left_out);
  b.compare({terms, weights}, kBothLabels, nullptr);
  for (const std::uint32_t label : kBothLabels) {
    CHECK(a.cosines()[label] == Approx(b.cosines()[label]));
    CHECK(a.profiles()[label] == Approx(b.profiles()[label]));
  }
}

TEST_CASE("a document that is all that its label has is like it by 1, and not by more") {
  std::vector<Record> records;
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (int j = 0; j < 12; ++j) text += "w" + std::to_string(random() % 90) + " ";
    records.push_back(test::record(std::to_string(i), text, {"label" + std::to_string(i)}));
  }
  const test::EngineOf engine(records);
  ClassifyRequest request;
  request.vote = "centroid";
  for (const Record& record : records) {
    const auto best = engine.classify(test::record("", record.text), request).best;
    REQUIRE(best);
    CHECK(best->confidence > .999);
    CHECK(best->confidence <= 1);
  }
}

TEST_CASE("words that no document of a label holds do not speak for it, however rare they are") {
  std::vector<Record> records;
  for (int i = 0; i < 200; ++i) {
    const std::string text = "common" + std::to_string(i % 20) + " word" + std::to_string(i % 9);
    records.push_back(test::record(std::to_string(i), text, {i % 2 == 0 ? "large" : "other"}));
  }
  std::string rare;
  for (int i = 0; i < 300; ++i) rare += "rare" + std::to_string(i) + " ";
  records.push_back(test::record("rare", rare, {"large"}));
  records.push_back(test::record("small", "something else", {"small"}));
  const test::EngineOf engine(records, test::untuned());
  ClassifyRequest request;
  request.vote = "profile";
  request.min_confidence = 0;
  const Classification c = engine.classify(test::record("", rare + "of many word1"), request);
  REQUIRE(c.tags.size() == 2);  // nothing speaks for the small label
  CHECK(c.tags[0].label == "large");
  CHECK(c.tags[0].confidence > .9);
  CHECK(c.tags[1].confidence <= .5);
}

TEST_CASE("centroid and profile answer through the engine, blend waits for a tuning") {
  const test::EngineOf engine(test::small_collection(), test::untuned());
  CHECK(ask(engine, "centroid").best->label == "animals");
  CHECK_FALSE(ask(engine, "profile").tags.empty());
  CHECK_THROWS_AS(ask(engine, "blend"), Error);
  CHECK_THROWS_AS(ask(engine, "most"), Error);
}

TEST_CASE("a label that none of the voters has gets no confidence, by any vote") {
  const bool several_labels = GENERATE(false, true);
  const bool is_tuned = GENERATE(false, true);
  CAPTURE(several_labels, is_tuned);
  std::vector<Record> records = test::topical_documents(250, several_labels);
  // No other label stands beside it, so no voter has it where label3 votes.
  for (Record& added : test::topical_documents(40, false, 2)) {
    added.id = "apart" + added.id;
    added.text += " apart";
    added.labels = {"apart"};
    records.push_back(added);
  }
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  test::write(path, records);
  if (is_tuned) write_tuning(path, tune(Engine(path, test::untuned()), {}).tuning);
  const Engine engine(path, is_tuned ? test::on_cpu() : test::untuned());
  std::vector<Record> asked = test::topical_documents(20, several_labels, 3);
  for (Record& each : asked) each.id.clear();
  asked.push_back(record("", "apart"));
  ClassifyRequest request;
  request.scores = true;
  const std::string vote =
      GENERATE("", "similarity", "best", "majority", "nearest", "centroid", "profile");
  CAPTURE(vote);
  if (!vote.empty()) request.vote = vote;
  for (const char* filter : {"label:label3", "id:d3 OR id:d13 OR id:d23", "id:d3"}) {
    CAPTURE(filter);
    request.filter = filter;
    const std::vector<Xapian::docid> voters = engine.matching(filter);
    std::set<std::string> voted;
    for (const Xapian::docid voter : voters)
      for (const std::string& label : records[voter - 1].labels) voted.insert(label);
    std::size_t found = 0;
    for (const Classification& answer : engine.classify(asked, request)) {
      for (const Tag& score : answer.scores) CHECK(voted.contains(score.label));
      for (const Tag& tag : answer.tags) CHECK(voted.contains(tag.label));
      found += answer.scores.size();
    }
    CHECK(found > 0);
  }
  request.filter = "label:verifed";  // nobody has it
  for (const Classification& answer : engine.classify(asked, request)) {
    CHECK(answer.scores.empty());
    CHECK_FALSE(answer.best);
  }
}

TEST_CASE("a label whose only document is asked about has no voter, so it is not told") {
  std::vector<Record> records = test::topical_documents(200, false);
  records.push_back(record("only", records[3].text, {"single"}));
  const test::TemporaryDirectory directory;
  test::write(directory / "db", records);
  write_tuning(directory / "db", tune(Engine(directory / "db", test::untuned()), {}).tuning);
  const Engine engine(directory / "db", test::on_cpu());
  ClassifyRequest scores;
  scores.scores = true;
  const Classification answer = engine.classify(UniqueId{"only"}, scores);
  REQUIRE(answer.best);
  CHECK(answer.best->label == "label3");
  for (const Tag& score : answer.scores) CHECK(score.label != "single");
}

TEST_CASE("a combiner gives a label the same whatever the order of the labels") {
  const std::vector<std::vector<float>> rows = {{0, .5f, .2f, .1f, 1, 0, 0, 0, 0},
                                                {0, .1f, .4f, .3f, 2, 0, 0, 0, 0},
                                                {0, .7f, .1f, .2f, .3f, 0, 0, 0, 0}};
  Combiner combiner;
  combiner.single_label = GENERATE(false, true);
  for (std::size_t i = 0; i < combiner.coefficients.size(); ++i)
    combiner.coefficients[i] = .3 + static_cast<double>(i % 3);
  const auto of = [&](const std::vector<std::size_t>& order) {
    std::vector<float> features;
    for (const std::size_t row : order)
      features.insert(features.end(), rows[row].begin(), rows[row].end());
    std::vector<double> p(order.size()), by_row(rows.size());
    combiner.combine(features, p);
    for (std::size_t i = 0; i < order.size(); ++i) by_row[order[i]] = p[i];
    return by_row;
  };
  const std::vector<double> p = of({0, 1, 2});
  for (const double own : p) CHECK(own > 0);
  CHECK(of({2, 0, 1}) == p);
  CHECK(of({1, 2, 0}) == p);
}

TEST_CASE("a combiner's probabilities are a softmax for one label and logistic for several") {
  std::vector<float> features = {0, .5f, .2f, .1f, 1, 0, 0, 0, 0,  //
                                 0, .1f, .4f, .3f, 2, 0, 0, 0, 0};
  Combiner combiner;
  combiner.single_label = true;
  combiner.coefficients[kProfile] = 1;
  std::vector<double> p(2);
  combiner.combine(features, p);
  CHECK(p[0] == Approx(1 / (1 + std::exp(1))));
  CHECK(p[0] + p[1] == Approx(1));
  combiner.coefficients[kLabelFeatures] = 2;  // the cosine by the log-odds
  combiner.combine(features, p);
  CHECK(p[1] / p[0] == Approx(std::exp(1 + 2 * (.3 * 2 - .1 * 1))));
  combiner.coefficients[kLabelFeatures] = 0;
  combiner.single_label = false;
  combiner.intercept = -1;
  combiner.coefficients[kLabelFeatures + kProducts] =
      10;  // the cosine's lead over the best other label
  combiner.combine(features, p);
  CHECK(p[0] == Approx(1 / (1 + std::exp(-(1 - 1 + 10 * (.1 - .3))))));
  CHECK(p[1] == Approx(1 / (1 + std::exp(-(2 - 1 + 10 * (.3 - .1))))));
  combiner.calibration = {.5, 1, 0, 0};  // half of what is sure is true at all
  combiner.combine(features, p);
  CHECK(p[0] < p[1]);
  CHECK(p[1] == Approx(std::exp(.5) / (std::exp(.5) + 1 + std::exp(-3.0))));
  combiner.calibration = {};
  std::vector<double> alone(1);  // no other label to lead
  combiner.combine(std::span(features).first(kLabelFeatures), alone);
  CHECK(alone[0] == Approx(.5));
}
