#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "plugin/engine.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/thread_ranks.h"
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

/// What rank 0 of so many finds. Each rank has its own engine, and `threads` and more threads.
/// @param on_tuning what to call in each rank; empty: nothing
TuneReport tuned_by(std::size_t size, std::int64_t threads,
                    const test::TopicalCollection& collection, const TuneRequest& request,
                    const std::string& journal = "",
                    const std::function<OnTuning(std::size_t rank)>& on_tuning = {}) {
  std::optional<TuneReport> report;
  test::ThreadRanks::run(size, [&](Ranks& ranks) {
    const auto more = static_cast<std::int64_t>(ranks.rank());
    const Engine engine(collection.path, with_threads(threads + more));
    TuneReport found =
        engine.tune(request, on_tuning ? on_tuning(ranks.rank()) : OnTuning(), {&ranks, journal});
    if (ranks.rank() == 0) report = std::move(found);
  });
  return *report;
}

}  // namespace

TEST_CASE("a tuning has the same bytes for any number of ranks and threads") {
  const test::TopicalCollection collection(260, GENERATE(true, false));
  TuneRequest request;
  request.sample = GENERATE(0, 220);
  request.first_look = request.sample == 0 ? 20 : 0;
  const TuneReport alone = Engine(collection.path, with_threads(1)).tune(request);
  const std::string expected = stored(collection, alone.tuning);
  for (const std::size_t size : {1, 2, 3, 4}) {
    for (const std::int64_t threads : {1, 3}) {
      const TuneReport report = tuned_by(size, threads, collection, request);
      CHECK(stored(collection, report.tuning) == expected);
      REQUIRE(report.trials.size() == alone.trials.size());
      CHECK(report.best == alone.best);
      for (std::size_t i = 0; i < report.trials.size(); ++i) {
        CHECK(report.trials[i].scores.micro_f1 == alone.trials[i].scores.micro_f1);
        CHECK(report.trials[i].scores.log_loss == alone.trials[i].scores.log_loss);
      }
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

TEST_CASE("a tuning that was stopped anywhere goes on from its journal, with other ranks, too") {
  struct Stopped {};
  const test::TopicalCollection collection(260);
  TuneRequest request;
  const std::string expected =
      stored(collection, Engine(collection.path, with_threads(1)).tune(request).tuning);
  const std::string journal = collection.directory / "journal";
  std::uint64_t parts = 0;
  for (int stop_after = 1; stop_after < 12; stop_after += 2) {
    int left = stop_after;
    std::mutex mutex;
    bool is_first = false;  // rank 0 stopped; if another one did, rank 0 may have ended well before
    const auto stop = [&](std::size_t rank) -> OnTuning {
      return [&, rank](const std::string&, std::uint64_t) {
        const std::lock_guard lock(mutex);
        if (left-- != 0) return;
        is_first = rank == 0;
        throw Stopped{};
      };
    };
    try {
      tuned_by(2, 1, collection, request, journal, stop);
    } catch (const Stopped&) {
      ++parts;
      if (is_first) REQUIRE(std::filesystem::exists(journal));
    }
  }
  CHECK(parts > 0);
  CHECK(stored(collection, tuned_by(3, 2, collection, request, journal).tuning) == expected);
  CHECK_FALSE(std::filesystem::exists(journal));
}

TEST_CASE("ranks that tune in different ways, or with a budget, are refused") {
  const test::TopicalCollection collection(60);
  CHECK(test::code_of([&] {
          test::ThreadRanks::run(2, [&](Ranks& ranks) {
            TuneRequest request;
            request.seed = ranks.rank();
            Engine(collection.path, with_threads(1)).tune(request, {}, {&ranks, ""});
          });
        }) == Errc::kInvalidArgument);
  TuneRequest request;
  request.budget = 10;
  CHECK(test::code_of([&] { tuned_by(2, 1, collection, request); }) == Errc::kInvalidArgument);
}

TEST_CASE("ranks evaluate and tag as one process does") {
  const test::TopicalCollection collection(260);
  const Engine engine(collection.path, with_threads(1));
  const auto told = [&](const Engine& asked, const CrossValidation& how, Ranks* ranks) {
    std::vector<std::pair<std::vector<std::string>, double>> all;
    asked.cross_validate(
        how, {},
        [&](const auto& truth, const Classification& prediction) {
          all.emplace_back(truth, prediction.best ? prediction.best->confidence : -1);
        },
        ranks);
    return all;
  };
  for (const CrossValidation how : {CrossValidation{}, CrossValidation{4, 1}}) {
    const auto expected = told(engine, how, nullptr);
    for (const std::size_t size : {2, 3}) {
      test::ThreadRanks::run(size, [&](Ranks& ranks) {
        const Engine own(collection.path, with_threads(1));
        const auto found = told(own, how, &ranks);
        if (ranks.rank() == 0 ? found != expected : !found.empty())
          throw std::runtime_error("another evaluation");
      });
    }
  }
  test::write(collection.path, [] {
    std::vector<Record> records = test::topical_documents(60, true, 9);
    for (Record& record : records) {
      record.id = "new" + record.id;
      record.labels.clear();
    }
    return records;
  }());
  TagRequest request;
  request.dry_run = true;
  request.sample = 1000;
  Engine alone(collection.path, with_threads(1));
  const TagReport expected = tag_documents(alone, request);
  REQUIRE(expected.given > 0);
  test::ThreadRanks::run(3, [&](Ranks& ranks) {
    Engine own(collection.path, with_threads(1));
    TagRequest shared = request;
    shared.ranks = &ranks;
    const TagReport found = tag_documents(own, shared);
    if (ranks.rank() != 0) return;
    const auto same = [](const TagChange& a, const TagChange& b) {
      return a.id == b.id && a.given.size() == b.given.size() &&
             a.given.front().confidence == b.given.front().confidence;
    };
    if (!std::ranges::equal(found.sample, expected.sample, same))
      throw std::runtime_error("other tags");
  });
}
