#include "plugin/reading.h"
#include "plugin/tune/tune_report.h"
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

}  // namespace

TEST_CASE("a tuning has the same bytes for any number of threads") {
  const test::TopicalCollection collection(260, GENERATE(true, false));
  TuneRequest request;
  request.documents = GENERATE(25000U, 200U);
  const std::string expected =
      stored(collection, tune(Engine(collection.path, with_threads(1)), request).tuning);
  for (const std::int64_t threads : {2, 3, 5}) {
    const TuneReport report = tune(Engine(collection.path, with_threads(threads)), request);
    CHECK(stored(collection, report.tuning) == expected);
  }
}

TEST_CASE("a tuning tells all that it does in the thread that asked for it") {
  const test::TopicalCollection collection(260);
  const auto told = [&](std::int64_t threads) {
    std::map<std::string, std::uint64_t> documents_of;
    const auto caller = std::this_thread::get_id();
    tune(Engine(collection.path, with_threads(threads)), {},
         [&](const std::string& doing, std::uint64_t documents) {
           CHECK(std::this_thread::get_id() == caller);
           documents_of[doing] = documents;
         });
    return documents_of;
  };
  const auto expected = told(1);
  CHECK(expected.size() > 1);
  CHECK(told(3) == expected);
}

TEST_CASE("a tuning that was canceled tells nothing more") {
  struct Canceled {};
  const test::EngineOf engine(test::topical_documents(60), with_threads(4));
  for (int canceled_at = 1; canceled_at < 20; ++canceled_at) {
    int told = 0;
    const auto cancel = [&](const std::string&, std::uint64_t) {
      if (++told >= canceled_at) throw Canceled{};
    };
    try {
      tune(engine, {}, cancel);
      CHECK(told < canceled_at);
    } catch (const Canceled&) {
      CHECK(told == canceled_at);
    }
  }
}
