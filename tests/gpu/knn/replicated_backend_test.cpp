// The contract of gpu/knn/replicated_backend.h: any number of devices gives the bits of one.
#include "gpu/knn/replicated_backend.h"

#include "gpu/workers.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/hooked_backend.h"
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
      replicas.push_back(test::failing(on_cpu(), faults[i]));
    }
    backend = replicate(std::move(replicas), threads);
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

TEST_CASE("the failure of a device reaches the caller", "[replicated]") {
  Devices d(2);
  *d.faults[0] = *d.faults[1] = GENERATE(Errc::kDevice, Errc::kOutOfMemory);
  CHECK(code_of([&] { d.ask(*d.backend); }) == *d.faults[0]);
  d.faults[0]->reset(), d.faults[1]->reset();
  CHECK(d.ask(*d.backend) == d.ask(*d.on_cpu()));
}

TEST_CASE("the caller's mistakes are told", "[replicated]") {
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
  CHECK(code_of([&] { replicate({}, 1); }) == Errc::kInvalidArgument);
}

TEST_CASE("all devices follow the mirror, or none", "[replicated]") {
  Devices d(3);
  const SegmentListPointer change =
      test::SegmentedMirror(d.rows.view(), d.labels.view()).kill(std::array{3u}).list();
  const auto refreshed = d.backend->refreshed(change, d.weighting);
  CHECK(refreshed->info().device == "3 x a device");
  CHECK(d.ask(*refreshed) == d.ask(*d.on_cpu()->refreshed(change, d.weighting)));
  *d.faults[2] = Errc::kOutOfMemory;
  CHECK(code_of([&] { d.backend->refreshed(change, d.weighting); }) == Errc::kOutOfMemory);
}

}  // namespace
}  // namespace kindred
