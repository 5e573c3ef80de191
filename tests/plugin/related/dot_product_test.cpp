// The dot product as a weighting: weighting.smart with the last letter n, through the C++ face.
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

Settings weighing(const std::string& smart) {
  Settings settings = test::on_cpu(2);
  settings.weighting.smart = smart;
  settings.classify.use_tuning = false;
  return settings;
}

Record vector_of(const std::string& id, const std::string& weights, const std::string& label) {
  const std::string labels = label.empty() ? "" : R"(, "labels": [")" + label + "\"]";
  return parse_record(R"({"id": ")" + id + R"(", "vector": {)" + weights + "}" + labels + "}");
}

/// Documents of learned weights. Under the cosine, `brief` is nearest to a question about the moon.
std::vector<Record> learned() {
  return {vector_of("brief", R"("moon": 0.5, "tide": 0.1)", "short"),
          vector_of("long", R"("moon": 2.0, "tide": 3.0, "sea": 4.0)", "long"),
          vector_of("longest", R"("sea": 6.0, "salt": 2.5)", "long"),
          vector_of("middling", R"("moon": 1.25, "sun": 1.0)", "short")};
}

struct LearnedCollection {
  LearnedCollection() { test::write(path, learned()); }
  test::TemporaryDirectory directory;
  std::string path = directory / "db";
};

const double kLongest = std::sqrt(6.0 * 6.0 + 2.5 * 2.5);

RelatedRequest about(Record question) {
  RelatedRequest request = test::like({std::move(question)});
  request.explain = true;
  return request;
}

}  // namespace

TEST_CASE("learned vectors rank by their dot products with the question") {
  const LearnedCollection collection;
  const Engine engine(collection.path, weighing("nnn"));
  const auto results =
      engine.related(about(vector_of("", R"("moon": 3.0, "tide": 4.0)", ""))).results;
  const std::vector<std::pair<std::string, double>> products = {
      {"long", 3 * 2.0 + 4 * 3.0}, {"middling", 3 * 1.25}, {"brief", 3 * 0.5 + 4 * 0.1}};
  REQUIRE(results.size() == products.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    CHECK(results[i].id == products[i].first);
    CHECK(results[i].similarity == Approx(products[i].second / 5 / kLongest).epsilon(1e-6));
    double sum = 0;
    for (const api::TermContribution& part : *results[i].terms) sum += part.contribution;
    CHECK(sum == Approx(results[i].similarity).epsilon(1e-6));
  }
  CHECK(results[0].terms->at(0).contribution == Approx(4 * 3.0 / 5 / kLongest).epsilon(1e-6));
  const Engine by_cosine(collection.path, weighing("nnc"));
  CHECK(by_cosine.related(about(vector_of("", R"("moon": 1.0)", ""))).results[0].id == "brief");
  CHECK(engine.related(about(vector_of("", R"("moon": 1.0)", ""))).results[0].id == "long");
}

TEST_CASE("the nearest by the dot product vote, and say why") {
  const LearnedCollection collection;
  ClassifyRequest request;
  request.neighbors = 1;
  request.explain = true;
  request.voters = true;
  const Record question = vector_of("", R"("moon": 1.0)", "");
  CHECK(Engine(collection.path, weighing("nnc")).classify(question, request).best->label ==
        "short");
  const auto answer = Engine(collection.path, weighing("nnn")).classify(question, request);
  REQUIRE(answer.tags.size() == 1);
  CHECK(answer.tags[0].label == "long");
  CHECK(answer.voters->at(0).similarity == Approx(2.0 / kLongest).epsilon(1e-6));
  CHECK(answer.reasons->at(0).terms[0].contribution == Approx(2.0 / kLongest).epsilon(1e-6));
}

TEST_CASE("near-duplicates are those of the cosine") {
  std::vector<Record> records = learned();
  records.push_back(vector_of("copy", R"("moon": 2.5, "sun": 2.0)", ""));  // twice middling
  const test::EngineOf engine(records, weighing("nnn"));
  const api::DuplicatesAnswer report = engine.duplicates();
  REQUIRE(report.groups.size() == 1);
  CHECK(report.groups[0].documents[0].id == "middling");
  CHECK(report.groups[0].documents[1].id == "copy");
  CHECK(report.groups[0].least_similarity == 1);
  RelatedRequest folding = about(vector_of("", R"("moon": 1.0)", ""));
  folding.fold = 0.95;
  const auto results = engine.related(folding).results;
  REQUIRE(results.size() == 3);
  CHECK(results[0].id == "copy");
  REQUIRE(results[0].folded->size() == 1);
  CHECK(results[0].folded->at(0).id == "middling");
}

TEST_CASE("a tuning votes by the cosine, whatever the last letter is") {
  const auto confidences = [](const std::string& smart) {
    const test::TopicalCollection collection(120);
    Settings settings = weighing(smart);
    settings.classify.use_tuning = true;
    Engine engine(collection.path, settings);
    REQUIRE(engine.tune_if_needed());
    std::vector<double> found;
    for (Xapian::docid docid = 1; docid <= 120; docid += 7)
      for (const Tag& tag : engine.classify(Docid{docid}).tags) found.push_back(tag.confidence);
    return found;
  };
  CHECK(confidences("ltn") == confidences("ltc"));
}
