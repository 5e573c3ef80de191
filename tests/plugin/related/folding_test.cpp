// Results that are near-duplicates of each other, folded, through the C++ face.
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;
using test::code_of;
using test::Collection;
using test::record;

namespace {

RelatedRequest like(const std::string& id, std::int64_t k, double fold) {
  RelatedRequest request = test::like({UniqueId{id}}, k);
  request.min_similarity = 0;
  request.fold = fold;
  return request;
}

/// Documents of topics, many of them copies or changed copies of earlier ones.
std::vector<Record> copied_documents(std::size_t count) {
  std::vector<Record> records = test::topical_documents(count);
  for (std::size_t i = 20; i < records.size(); ++i) {
    if (i % 3 == 0) continue;
    records[i].text = records[(i * 7) % 20].text;
    if (i % 3 == 1) records[i].text += " shared" + std::to_string(i % 5) + "x";
  }
  return records;
}

/// What the results must be, by the similarities of all results to each other: the whole ranking is
/// taken neighbor by neighbor, and ends before the first that would be one result too many.
std::vector<std::vector<std::string>> expected_groups(const Engine& engine, RelatedRequest request,
                                                      std::size_t k, double fold) {
  request.limit = 1'000'000;
  request.fold = 0;
  std::vector<std::vector<std::string>> groups;  // the best of each first
  for (const api::RelatedDocument& related : engine.related(request).results) {
    std::set<std::string> near;
    for (const api::RelatedDocument& other : engine.related(like(related.id, 1'000'000, 0)).results)
      if (other.similarity >= fold) near.insert(other.id);
    std::vector<std::vector<std::string>> kept;
    std::vector<std::string>* home = nullptr;
    const auto is_near = [&](const std::string& id) { return near.contains(id); };
    kept.reserve(groups.size() + 1);
    for (auto& group : groups) {
      if (std::none_of(group.begin(), group.end(), is_near)) {
        kept.push_back(group);
      } else if (home == nullptr) {
        home = &kept.emplace_back(group);
      } else {
        home->insert(home->end(), group.begin(), group.end());
      }
    }
    if (home != nullptr) {
      home->push_back(related.id);
    } else if (kept.size() == k) {
      return groups;
    } else {
      kept.push_back({related.id});
    }
    groups = std::move(kept);
  }
  return groups;
}

}  // namespace

TEST_CASE("of near-duplicates among the results only the best stays, and says what it stands for") {
  const std::string tax = "Income tax and interest rates rise with the budget";
  const test::EngineOf engine(
      test::small_collection({record("copy1", tax), record("copy2", tax), record("copy3", tax)}));
  const RelatedResult plain = engine.related(like("tax1", 3, 0));
  CHECK(plain.results[0].id == "copy1");
  CHECK(plain.results[2].id == "copy3");
  for (const api::RelatedDocument& related : plain.results) CHECK_FALSE(related.folded);
  const RelatedResult folded = engine.related(like("tax1", 3, 0.95));
  REQUIRE(folded.results.size() == 2);
  CHECK(folded.results[0].id == "copy1");
  REQUIRE(folded.results[0].folded->size() == 2);
  CHECK(folded.results[0].folded->at(0).id == "copy2");
  CHECK(folded.results[0].folded->at(1).id == "copy3");
  CHECK(folded.results[0].folded->at(1).docid == plain.results[2].docid);
  CHECK(folded.results[0].folded->at(1).similarity == plain.results[2].similarity);
  CHECK(folded.results[1].folded->empty());
  CHECK(folded.results[1].id == "tax2");
  CHECK(engine.neighborhood(like("tax1", 3, 0.95)).documents.size() == 2);
}

TEST_CASE("a copy of an example is a result, once") {
  const std::string text = test::small_collection()[3].text;
  const Collection collection({record("copy1", text), record("copy2", text)});
  const RelatedResult result = Engine(collection.path, {}).related(like("tax1", 2, 1));
  REQUIRE(result.results.size() == 2);
  CHECK(result.results[0].id == "copy1");
  CHECK(result.results[0].similarity == 1);
  REQUIRE(result.results[0].folded->size() == 1);
  CHECK(result.results[0].folded->at(0).id == "copy2");
}

TEST_CASE("folded results are those of single linkage over the ranking, for any k and threshold") {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", copied_documents(120));
  Settings settings = test::untuned();
  settings.weighting.smart = "lnc";  // by which related documents are as near as duplicates
  const Engine engine(directory / "db", settings);
  const bool feedback = GENERATE(false, true);
  for (const double fold : {0.3, 0.8, 0.95, 1.0}) {
    for (const std::size_t k : {1, 2, 5, 12, 200}) {
      RelatedRequest request = like("d3", static_cast<std::int64_t>(k), fold);
      request.feedback = feedback;
      const auto expected = expected_groups(engine, request, k, fold);
      const auto results = engine.related(request).results;
      INFO("fold " << fold << ", k " << k << ", feedback " << feedback);
      REQUIRE(results.size() == expected.size());
      std::map<std::string, float> similarity;
      for (std::size_t i = 0; i < results.size(); ++i) {
        REQUIRE(results[i].id == expected[i].front());
        std::set<std::string> folded;
        for (const api::FoldedDocument& document : *results[i].folded) {
          folded.insert(document.id);
          if (!feedback) CHECK(document.similarity <= results[i].similarity);
        }
        CHECK(folded == std::set<std::string>(expected[i].begin() + 1, expected[i].end()));
      }
    }
  }
}

TEST_CASE("more copies than the bound allows are folded as far as it goes") {
  std::vector<Record> copies;
  for (int i = 0; i < 1100; ++i) {
    copies.push_back(record("copy" + std::to_string(i), "The tax on income"));
  }
  const Collection collection(copies);
  RelatedRequest request = like("tax1", 2, 0.9);
  request.feedback = false;  // else all copies come first, and nothing else is read
  const RelatedResult result = Engine(collection.path, {}).related(request);
  REQUIRE(result.results.size() == 2);
  CHECK(result.results[0].folded->size() + result.results[1].folded->size() == 1030);
}

TEST_CASE("a threshold of folding outside 0 to 1 is refused") {
  const test::EngineOf engine;
  CHECK(code_of([&] { engine.related(like("cat1", 3, -0.1)); }, "fold") == Errc::kInvalidArgument);
  CHECK(code_of([&] { engine.related(like("cat1", 3, 1.1)); }, "fold") == Errc::kInvalidArgument);
}
