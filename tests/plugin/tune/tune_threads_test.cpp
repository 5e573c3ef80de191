// That a tuning does not depend on how it is run, and that it can be canceled.
#include "plugin/learning.h"
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

TEST_CASE("a tuning has the same bytes for any number of threads, and on a second run") {
  const test::TopicalCollection collection(260, GENERATE(true, false));
  TuneRequest request;
  request.documents = GENERATE(25000U, 200U);
  const std::string expected =
      stored(collection, tune(Engine(collection.path, with_threads(1)), request).tuning);
  const Engine engine(collection.path, with_threads(3));
  for (int run = 0; run < 2; ++run)
    CHECK(stored(collection, tune(engine, request).tuning) == expected);
  request.seed = 1;  // draws others
  CHECK(stored(collection, tune(engine, request).tuning) != expected);
}

TEST_CASE("a tuning tells how much of its work is done, up to all, in the thread that asked") {
  const test::TopicalCollection collection(260);
  const auto told = [&](std::int64_t threads) {
    std::map<std::string, std::uint64_t> done_after;
    std::uint64_t before = 0;
    std::uint64_t of_all = 1;
    const auto caller = std::this_thread::get_id();
    tune(Engine(collection.path, with_threads(threads)), {},
         [&](const std::string& doing, std::uint64_t done, std::uint64_t all) {
           CHECK(std::this_thread::get_id() == caller);
           CHECK(done >= before);
           CHECK(done <= all);
           before = done;
           of_all = all;
           done_after[doing] = done;
         });
    CHECK(before == of_all);
    return done_after;
  };
  const auto expected = told(1);
  CHECK(expected.size() > 1);
  CHECK(told(3) == expected);
}

TEST_CASE("a tuning that is canceled in any of its steps tells nothing more, and changes nothing") {
  struct Canceled {};
  const test::TopicalCollection collection(1000, false);
  Engine engine(collection.path, test::on_cpu(4));
  std::set<std::string> steps;
  tune(engine, {},
       [&](const std::string& doing, std::uint64_t, std::uint64_t) { steps.insert(doing); });
  CHECK(steps.size() == 5);
  for (const std::string& step : steps) {
    CAPTURE(step);
    std::string last;
    const auto cancel = [&](const std::string& doing, std::uint64_t, std::uint64_t) {
      CHECK(last != step);
      last = doing;
      if (doing == step) throw Canceled{};
    };
    CHECK_THROWS_AS(engine.tune_if_needed(cancel), Canceled);
    CHECK(last == step);
  }
  CHECK(!engine.status().tuning);
  CHECK(!std::filesystem::exists(tuning_path(collection.path)));
}
