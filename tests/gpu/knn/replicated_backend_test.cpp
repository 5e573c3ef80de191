// The contract of gpu/knn/replicated_backend.h: any number of devices gives the bits of one, and
// where one fails, the others do its work.
#include "gpu/knn/replicated_backend.h"

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/twins/factory.h"
#include "gpu/workers.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/failing_backend.h"
#include "tests/fixtures/living_mirror.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::code_of;
using Faults = std::vector<std::shared_ptr<std::optional<Errc>>>;

constexpr std::uint32_t kRows = 80;
constexpr std::size_t kQueries = 5000;  // several pieces for each device

/// Devices that fail on demand, and a batch of queries as large as that of a job.
struct Devices {
  explicit Devices(std::size_t devices, std::size_t threads = 4) {
    std::vector<std::unique_ptr<const Backend>> replicas;
    for (std::size_t i = 0; i < devices; ++i) {
      faults.push_back(std::make_shared<std::optional<Errc>>());
      replicas.push_back(std::make_unique<test::FailingBackend>(on_cpu(), faults[i]));
    }
    backend = replicate(std::move(replicas), threads, [this](std::string_view line) {
      const std::lock_guard lock(mutex);
      log.emplace_back(line);
    });
    for (std::size_t q = 0; q < kQueries; ++q) {
      const auto row = static_cast<std::uint32_t>(q % kRows);
      test::add_row_query(queries, rows.view(), row, weighting);
      exclude.push_back(row);
    }
  }

  std::unique_ptr<const Backend> on_cpu() const {
    return make_backend(rows.view(), weighting, test::options("cpu", 1), labels.view());
  }
  std::vector<Neighbor> ask(const Backend& from) const { return from.nearest(queries, 5); }
  /// Asks until `times` failures were told: a device may come too late for a piece.
  void ask_until_told(std::size_t times) const {
    const auto expected = ask(*on_cpu());
    do CHECK(ask(*backend) == expected);
    while (log.size() < times);
  }
  std::vector<LabelShare> vote(const Backend& from) const {
    std::vector<LabelShare> shares(kQueries * 3);
    from.vote(queries.view(), {5, 3, nullptr, exclude}, shares);
    return shares;
  }

  Csr rows = test::random_csr({.rows = kRows, .columns = 40}, 1);
  TermWeighting weighting = test::ltc_weighting(rows.view());
  test::Labels labels = test::random_labels(kRows, 7, 2);
  Faults faults;
  Queries queries;
  std::vector<std::uint32_t> exclude;
  std::mutex mutex;
  std::vector<std::string> log;
  std::unique_ptr<const Backend> backend;
};

TEST_CASE("any number of devices gives the bits of one", "[replicated]") {
  const auto devices = GENERATE(as<std::size_t>{}, 1, 2, 3, 8);
  const auto threads = GENERATE(as<std::size_t>{}, 1, 4);
  CAPTURE(devices, threads);
  const Devices d(devices, threads);
  CHECK(d.ask(*d.backend) == d.ask(*d.on_cpu()));
  CHECK(d.vote(*d.backend) == d.vote(*d.on_cpu()));
  CHECK(d.backend->longest() == d.on_cpu()->longest());
}

TEST_CASE("counts are dealt out like weights", "[replicated]") {
  const Devices d(3);
  Csr many;
  many.columns = d.rows.columns;
  for (int i = 0; i < 60; ++i) {
    many.column.insert(many.column.end(), d.rows.column.begin(), d.rows.column.end());
    many.count.insert(many.count.end(), d.rows.count.begin(), d.rows.count.end());
    const std::uint64_t base = many.row_begin.back();
    for (std::uint32_t row = 1; row <= kRows; ++row)
      many.row_begin.push_back(base + d.rows.row_begin[row]);
  }
  const QueryView queries{many.rows(), many.row_begin.data(), many.column.data(), nullptr,
                          many.count.data()};
  std::vector<Neighbor> found(many.rows() * std::size_t{4}), expected = found;
  d.backend->nearest(queries, 4, nullptr, found);
  d.on_cpu()->nearest(queries, 4, nullptr, expected);
  CHECK(found == expected);
}

TEST_CASE("single queries of many threads are spread over the devices", "[replicated]") {
  const Devices d(3);
  const auto expected = d.ask(*d.on_cpu());
  std::vector<Neighbor> found(expected.size());
  for_each_item(200, 8, [&](std::size_t q) {
    d.backend->nearest(d.queries.view().part(q, 1), 5, nullptr, std::span(found).subspan(q * 5, 5));
  });
  CHECK(std::equal(found.begin(), found.begin() + 1000, expected.begin()));
}

TEST_CASE("the other devices do the work of one that is lost", "[replicated]") {
  Devices d(3);
  *d.faults[1] = Errc::kDevice;
  d.ask_until_told(1);
  CHECK(d.vote(*d.backend) == d.vote(*d.on_cpu()));
  CHECK(d.log == std::vector<std::string>{"the other devices answer: the device says so"});
  CHECK(d.backend->info().device == "2 x a device");
  d.faults[1]->reset();  // a device does not come back
  CHECK(d.backend->info().device == "2 x a device");
  *d.faults[0] = Errc::kDevice;
  d.ask_until_told(2);
  CHECK(d.backend->info().device == "a device");
  *d.faults[1] = *d.faults[2] = Errc::kDevice;
  CHECK(code_of([&] { d.ask(*d.backend); }) == Errc::kDevice);
  std::vector<Neighbor> room(5);
  CHECK(code_of([&] { d.backend->nearest(d.queries.view().part(0, 1), 5, nullptr, room); }) ==
        Errc::kDevice);
}

TEST_CASE("a call that does not fit a device is answered by the others", "[replicated]") {
  Devices d(2);
  *d.faults[0] = Errc::kOutOfMemory;
  const auto expected = d.ask(*d.on_cpu());
  d.ask_until_told(1);
  CHECK(d.ask(*d.backend) == expected);
  CHECK(d.log == std::vector<std::string>{"the other devices answer what does not fit: "
                                          "the device says so"});
  CHECK(d.backend->info().device == "2 x a device");
  *d.faults[1] = Errc::kOutOfMemory;
  CHECK(code_of([&] { d.ask(*d.backend); }) == Errc::kOutOfMemory);
  d.faults[0]->reset(), d.faults[1]->reset();
  CHECK(d.ask(*d.backend) == expected);
}

TEST_CASE("the caller's mistakes reach no other device", "[replicated]") {
  Devices d(2);
  std::vector<Neighbor> room(7);
  CHECK(code_of([&] { d.backend->nearest(d.queries.view(), 5, nullptr, room); }) ==
        Errc::kInvalidArgument);
  CHECK(code_of([&] { d.backend->nearest(d.queries, 0); }) == Errc::kInvalidArgument);
  std::vector<LabelShare> shares(7);
  CHECK(code_of([&] {
          d.backend->vote(d.queries.view(), {5, 3}, shares);
        }) == Errc::kInvalidArgument);
  *d.faults[0] = Errc::kInvalidArgument;
  CHECK(code_of([&] { d.ask(*d.backend); }) == Errc::kInvalidArgument);
  CHECK(d.log.empty());
  CHECK(code_of([&] { replicate({}, 1); }) == Errc::kInvalidArgument);
}

TEST_CASE("a device that fails to follow the mirror is left behind", "[replicated]") {
  Devices d(3);
  const SegmentListPointer change =
      test::SegmentedMirror(d.rows.view(), d.labels.view()).kill(std::array{3u}).list();
  const auto expected = d.ask(*d.on_cpu()->refreshed(change, d.weighting));
  *d.faults[2] = GENERATE(Errc::kDevice, Errc::kOutOfMemory);
  const auto refreshed = d.backend->refreshed(change, d.weighting);
  CHECK(refreshed->info().device == "2 x a device");
  CHECK(d.ask(*refreshed) == expected);
  for (const auto& fault : d.faults) *fault = Errc::kOutOfMemory;
  CHECK(code_of([&] { refreshed->refreshed(change, d.weighting); }) == Errc::kOutOfMemory);
}

TEST_CASE("a device without memory for a change is tried again at the next", "[replicated]") {
  const auto fault = std::make_shared<std::optional<Errc>>();
  std::vector<std::string> log;
  const auto make = [&](SegmentListPointer rows, const TermWeighting& weighting) {
    std::vector<std::unique_ptr<const Backend>> replicas;
    for (int i = 0; i < 2; ++i) {
      auto one = make_backend(rows, weighting, test::options("cpu", 1));
      const auto own = i == 1 ? fault : std::make_shared<std::optional<Errc>>();
      replicas.push_back(std::make_unique<test::FailingBackend>(std::move(one), own));
    }
    return replicate(std::move(replicas), 1, [&](auto line) { log.emplace_back(line); });
  };
  test::LivingMirror mirror(make, test::random_csr({.rows = 400, .columns = 90}, 3));
  const auto devices = [&] { return mirror.backend().info().device; };
  *fault = Errc::kOutOfMemory;
  mirror.change(test::random_csr({.rows = 30, .columns = 95}, 4), {3, 401});
  mirror.replace(test::random_csr({.rows = 3, .columns = 97}, 5), {0, 17, 430}, {8});
  CHECK(devices() == "a device");
  test::check_like_fresh(mirror);
  CHECK(log.size() == 1);
  fault->reset();
  mirror.change(test::random_csr({.rows = 5, .columns = 99}, 6), {1});
  CHECK(devices() == "2 x a device");
  for (int i = 0; i < 3; ++i) test::check_like_fresh(mirror);
  *fault = Errc::kDevice;  // for good
  mirror.change(test::random_csr({.rows = 2, .columns = 99}, 7), {2});
  fault->reset();
  mirror.change(test::random_csr({.rows = 2, .columns = 99}, 8), {4});
  CHECK(devices() == "a device");
  test::check_like_fresh(mirror);
}

}  // namespace
}  // namespace kindred
