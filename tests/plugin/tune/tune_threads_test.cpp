#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

Settings with_threads(std::int64_t threads) {
  Settings settings = test::untuned();
  settings.backend.threads = threads;
  return settings;
}

std::string stored(const test::TopicalCollection& collection, const Tuning& tuning) {
  write_tuning(collection.path, tuning);
  std::ifstream file(tuning_path(collection.path), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Documents of five topics, most of whose words say nothing but are rarer than those that do.
std::vector<Record> noisy_documents(std::size_t count) {
  std::mt19937_64 random(5);
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (int word = 0; word < 3; ++word)
      text += "topic" + std::to_string(i % 5) + "w" + std::to_string(random() % 20) + "x ";
    for (int word = 0; word < 12; ++word) text += "rare" + std::to_string(random() % 900) + "x ";
    records.push_back(
        test::record("d" + std::to_string(i), text, {"label" + std::to_string(i % 5)}));
  }
  return records;
}

}  // namespace

TEST_CASE("a tuning has the same bytes for any number of threads") {
  const test::TopicalCollection collection(260, GENERATE(true, false));
  TuneRequest request;
  request.sample = GENERATE(0, 220);
  request.first_look = request.sample == 0 ? 20 : 0;
  const TuneReport alone = Engine(collection.path, with_threads(1)).tune(request);
  const std::string expected = stored(collection, alone.tuning);
  for (const std::int64_t threads : {2, 3, 5}) {
    const TuneReport report = Engine(collection.path, with_threads(threads)).tune(request);
    CHECK(stored(collection, report.tuning) == expected);
    REQUIRE(report.trials.size() == alone.trials.size());
    CHECK(report.best == alone.best);
    for (std::size_t i = 0; i < report.trials.size(); ++i) {
      CHECK(report.trials[i].scores.micro_f1 == alone.trials[i].scores.micro_f1);
      CHECK(report.trials[i].scores.log_loss == alone.trials[i].scores.log_loss);
    }
  }
}

TEST_CASE(
    "term weights that are clearly behind on a fifth of the documents are tried on no others") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  test::write(path, noisy_documents(1200));
  const Engine engine(path, with_threads(2));
  TuneRequest request;
  request.first_look = 0;
  const TuneReport on_all = engine.tune(request);
  request.first_look = 240;
  const TuneReport report = engine.tune(request);
  CHECK(report.tuning.method.term_weights == on_all.tuning.method.term_weights);
  CHECK(report.tuning.scores.micro_f1 == on_all.tuning.scores.micro_f1);
  CHECK(report.trials.size() == on_all.trials.size());
  std::size_t behind = 0;
  for (const TuneTrial& trial : report.trials) {
    if (trial.scores.documents == 1200) continue;
    CHECK(trial.scores.documents == 240);
    CHECK(trial.method.term_weights != report.tuning.method.term_weights);
    ++behind;
  }
  CHECK(behind > 0);
  request.first_look = 241;
  CHECK(engine.tune(request).trials.front().scores.documents == 1200);
}

TEST_CASE("a tuning tells all that it does in the thread that asked for it") {
  const test::TopicalCollection collection(260);
  const auto told = [&](std::int64_t threads) {
    std::map<std::string, std::pair<int, std::uint64_t>> steps;  // times told, and documents
    const auto caller = std::this_thread::get_id();
    Engine(collection.path, with_threads(threads))
        .tune({}, [&](const std::string& doing, std::uint64_t documents) {
          CHECK(std::this_thread::get_id() == caller);
          ++steps[doing].first;
          steps[doing].second = documents;
        });
    return steps;
  };
  const auto expected = told(1);
  CHECK(expected.size() > 1);
  CHECK(told(3) == expected);
}

TEST_CASE("a tuning that was canceled tells nothing more") {
  struct Canceled {};
  const test::TopicalCollection collection(60);
  const Engine engine(collection.path, with_threads(4));
  for (int canceled_at = 1; canceled_at < 20; ++canceled_at) {
    int told = 0;
    const auto cancel = [&](const std::string&, std::uint64_t) {
      if (++told >= canceled_at) throw Canceled{};
    };
    try {
      engine.tune({}, cancel);
      CHECK(told < canceled_at);
    } catch (const Canceled&) {
      CHECK(told == canceled_at);
    }
  }
}
