// Which revision answers are from.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "plugin/ask/ask.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using nlohmann::json;
using test::record;

namespace {

/// Labeled documents, of which there is one more at each step of a question.
class GrowingIndex {
 public:
  GrowingIndex() {
    std::vector<Record> records;
    for (int i = 0; i < 6; ++i) records.push_back(next());
    test::write(path_.path, records);
    engine_ = std::make_unique<Engine>(path_.path, Settings{});
    remember();
  }

  /// The answer to a question, at each step of which the index grows and the engine follows it.
  json ask(const std::string& question, const std::string& request) {
    AskedIndex index{path_.path, {}, [this]() -> Engine& { return *engine_; }};
    index.on_step = [this](const AskStep&) {
      grow();
      return true;
    };
    return json::parse(kindred::ask(index, question, request));
  }

  /// How many documents the index had at a revision.
  std::uint64_t documents_at(std::uint64_t revision) const { return documents_at_.at(revision); }

 private:
  Record next() {
    const std::string number = std::to_string(++documents_);
    return record(number, "the cat " + number + " purrs", {documents_ % 2 == 0 ? "even" : "odd"});
  }

  void grow() {
    test::write(path_.path, {next()});
    engine_->refresh();
    remember();
  }

  void remember() { documents_at_[engine_->origin().revision] = documents_; }

  test::TemporaryPath path_;
  std::uint64_t documents_ = 0;
  std::map<std::uint64_t, std::uint64_t> documents_at_;
  std::unique_ptr<Engine> engine_;
};

std::uint64_t sum_of(const json& numbers) {
  std::uint64_t sum = 0;
  for (const json& number : numbers) sum += number.get<std::uint64_t>();
  return sum;
}

}  // namespace

TEST_CASE("an answer has the revision of the snapshot that it is from, also if the index changes") {
  GrowingIndex index;
  const auto check = [&](const std::string& question, const std::string& request,
                         const std::function<std::uint64_t(const json&)>& documents) {
    CAPTURE(question);
    const json answer = index.ask(question, request);
    CAPTURE(answer.dump());
    CHECK(documents(answer) == index.documents_at(answer["revision"].get<std::uint64_t>()));
  };
  const auto examined = [](const json& answer) { return answer["examined"].get<std::uint64_t>(); };
  const auto all = [](const json& answer) { return answer["documents"].get<std::uint64_t>(); };

  check("geometry", "", [](const json& answer) { return sum_of(answer["documents"]); });
  check("evaluate", "", all);
  check("status", "", all);
  check("suspects", "", examined);
  check("duplicates", "", examined);
  check("matching", "", [](const json& answer) { return answer["found"].get<std::uint64_t>(); });
  check("train_topics", R"({"rows": 2, "columns": 2})",
        [](const json& answer) { return answer["map"]["documents"].get<std::uint64_t>(); });
  check("map", R"({"places": true})", [](const json& answer) { return answer["places"].size(); });
}

TEST_CASE("a pinned engine answers from one snapshot while the other follows the index") {
  const test::TemporaryPath path;
  test::write(path.path, test::small_collection());
  Engine engine(path.path, {});
  const Engine pinned = engine.pinned();

  test::write(path.path, {record("new", "a new cat", {"new"})});
  REQUIRE(engine.refresh());
  CHECK(engine.docid_of("new"));
  CHECK_FALSE(pinned.docid_of("new"));
  CHECK(engine.labels().size() == pinned.labels().size() + 1);
  CHECK(pinned.origin().revision < engine.origin().revision);
  CHECK(pinned.status().revision == pinned.origin().revision);
}
