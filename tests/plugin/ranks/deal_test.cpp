#include "plugin/ranks/deal.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/ranks/collective.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/says.h"
#include "tests/fixtures/temporary_directory.h"
#include "tests/fixtures/thread_ranks.h"

using namespace kindred;

namespace {

std::string square(std::size_t task) { return std::to_string(task * task); }

Tasks squares(std::size_t count, std::size_t at_once) {
  Tasks tasks;
  tasks.step = "squares";
  tasks.count = count;
  tasks.at_once = tasks.threads = at_once;
  tasks.work = square;
  return tasks;
}

std::vector<std::string> squares_up_to(std::size_t count) {
  std::vector<std::string> expected;
  for (std::size_t task = 0; task < count; ++task) expected.push_back(square(task));
  return expected;
}

}  // namespace

TEST_CASE("every rank gets the results of all tasks, in their order, for any ranks and threads") {
  for (const std::size_t size : {1, 2, 3, 4}) {
    for (const std::size_t count : {0, 1, 7, 100}) {
      std::atomic<std::size_t> calls = 0;
      test::ThreadRanks::run(size, [&](Ranks& ranks) {
        Tasks tasks = squares(count, 1 + ranks.rank());
        tasks.work = [&](std::size_t task) {
          ++calls;
          return square(task);
        };
        if (deal(ranks, tasks, nullptr) != squares_up_to(count))
          throw std::runtime_error("other results");
        if (deal(ranks, squares(3, 2), nullptr) != squares_up_to(3))
          throw std::runtime_error("other results of the second step");
      });
      CHECK(calls == count);
    }
  }
}

TEST_CASE("what rank 0 says reaches all, and what all say reaches rank 0 in their order") {
  for (const std::size_t size : {1, 2, 3, 4}) {
    test::ThreadRanks::run(size, [&](Ranks& ranks) {
      const std::string own = std::to_string(ranks.rank());
      const bool is_first = ranks.rank() == 0;
      const std::vector<std::string> all = gather(ranks, own);
      if (is_first != !all.empty()) throw std::runtime_error("rank 0 alone gathers");
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != std::to_string(rank)) throw std::runtime_error("another order");
      }
      if (broadcast(ranks, own) != "0") throw std::runtime_error("not what rank 0 said");
      std::vector<std::int64_t> sums = {1, static_cast<std::int64_t>(ranks.rank()), INT64_MIN / 8};
      add_up(ranks, sums);
      const auto n = static_cast<std::int64_t>(size);
      if (sums != std::vector<std::int64_t>{n, n * (n - 1) / 2, n * (INT64_MIN / 8)})
        throw std::runtime_error("other sums");
      std::vector<std::int64_t> largest = {-5 - static_cast<std::int64_t>(ranks.rank()), 0};
      take_largest(ranks, largest);
      if (largest != std::vector<std::int64_t>{-5, 0}) throw std::runtime_error("not the largest");
      wait_for_all(ranks);
    });
  }
}

TEST_CASE("sums of many zeros and of any integers are those of the integers") {
  const auto of_rank = [](std::size_t rank, std::size_t i) -> std::int64_t {
    constexpr std::int64_t kOdd[] = {1, -1, 63, 64, -64, -65, INT64_MAX / 4, INT64_MIN / 4};
    return i % 100 == rank ? kOdd[(i / 100) % 8] : 0;
  };
  for (const std::size_t count : {0, 1, 2, 1000}) {
    test::ThreadRanks::run(3, [&](Ranks& ranks) {
      std::vector<std::int64_t> sums(count), expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        sums[i] = of_rank(ranks.rank(), i);
        for (std::size_t rank = 0; rank < 3; ++rank) expected[i] += of_rank(rank, i);
      }
      add_up(ranks, sums);
      if (sums != expected) throw std::runtime_error("other sums");
    });
  }
  const auto differ = [] {
    test::ThreadRanks::run(2, [](Ranks& ranks) {
      std::vector<std::int64_t> values(1 + ranks.rank());
      add_up(ranks, values);
    });
  };
  CHECK(test::code_of(differ, "different numbers of values") == Errc::kInternal);
}

TEST_CASE("a task that fails ends the command on all ranks") {
  for (const std::size_t size : {1, 2, 3}) {
    const auto fail = [&](std::size_t failing) {
      test::ThreadRanks::run(size, [&](Ranks& ranks) {
        Tasks tasks = squares(50, 2);
        tasks.work = [&](std::size_t task) {
          if (task == failing) throw std::runtime_error("no luck");
          return square(task);
        };
        deal(ranks, tasks, nullptr);
      });
    };
    CHECK_THROWS_WITH(fail(0), "no luck");
    CHECK_THROWS_WITH(fail(49), "no luck");
  }
}

TEST_CASE("tasks that a journal holds are not done again") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "journal";
  std::atomic<std::size_t> calls = 0;
  const auto run = [&](std::size_t size, std::size_t count, const std::string& identity) {
    calls = 0;
    test::ThreadRanks::run(size, [&](Ranks& ranks) {
      std::optional<Journal> journal;
      if (ranks.rank() == 0) journal.emplace(path, identity);
      Tasks tasks = squares(count, 2);
      tasks.work = [&](std::size_t task) {
        ++calls;
        return square(task);
      };
      if (deal(ranks, tasks, journal ? &*journal : nullptr) != squares_up_to(count))
        throw std::runtime_error("other results");
    });
    return calls.load();
  };
  CHECK(run(1, 5, "this index") == 5);
  CHECK(run(3, 9, "this index") == 4);
  CHECK(run(2, 9, "this index") == 0);
  CHECK(run(2, 9, "another index") == 9);
  CHECK(run(1, 9, "this index") == 9);
  Journal(path, "this index").remove();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a journal that was cut or damaged anywhere keeps what comes before") {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "journal";
  const std::vector<std::string> results = {"a", std::string(1000, 'b'), "", "d"};
  {
    Journal journal(path, "index");
    for (std::size_t task = 0; task < results.size(); ++task)
      journal.add("step", task, results[task]);
  }
  std::string whole;
  {
    std::ifstream file(path, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto check = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    Journal journal(path, "index");
    bool held = true;
    for (std::size_t task = 0; task < results.size(); ++task) {
      const auto found = journal.find("step", task);
      CHECK((!found || *found == results[task]));
      CHECK((held || !found));
      held = found.has_value();
    }
    CHECK_FALSE(journal.find("other step", 0));
    journal.add("step", 9, "z");
    return journal.found();
  };
  for (std::size_t size = 0; size <= whole.size(); size += size < 120 ? 1 : 37)
    CHECK(check(whole.substr(0, size)) <= results.size());
  for (std::size_t at = 0; at < whole.size(); at += at < 120 ? 1 : 37) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 64);
    CHECK(check(damaged) < results.size());
  }
  CHECK(check(whole) == results.size());
}

TEST_CASE("a journal that another job uses, or that is no file, is refused by its name") {
  const test::TemporaryDirectory directory;
  const Journal journal(directory / "journal", "index");
  const auto refusal = [](const std::string& path) -> std::string {
    try {
      const Journal refused(path, "index");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  CHECK(test::says(refusal(directory / "journal"), {"/journal: ", "another process uses it"}));
  CHECK(test::says(refusal(directory / "no/journal"), {"no/journal: ", "No such file"}));
  CHECK(test::says(refusal(directory / "."), {"Is a directory"}));
}
