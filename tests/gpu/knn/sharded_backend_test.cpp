// The contract of gpu/knn/sharded_backend.h: rows that are divided among devices give the bits of
// one device that has them all.
#include "gpu/knn/sharded_backend.h"

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/living_mirror.h"

namespace kindred {
namespace {

using test::check_like_fresh;
using test::LivingMirror;

LivingMirror::Make in_shards(std::size_t shards, std::size_t threads = 2) {
  return [=](SegmentListPointer rows, const TermWeighting& weighting) {
    return shard(std::move(rows), weighting, shards, threads,
                 [](std::size_t, SegmentListPointer own, const TermWeighting& weights) {
                   return make_backend(std::move(own), weights, test::options("cpu", 1));
                 });
  };
}

TEST_CASE("there may be fewer rows than shards", "[sharded]") {
  const auto rows = GENERATE(0u, 1u, 3u);
  CAPTURE(rows);
  LivingMirror mirror(in_shards(5), test::random_csr({.rows = rows, .columns = 9}, 1),
                      GENERATE(test::ltc_weighting, test::ltn_weighting));
  check_like_fresh(mirror);
  mirror.change(test::random_csr({.rows = 4, .columns = 9}, 2), {});
  check_like_fresh(mirror);
}

TEST_CASE("all shards follow the scale of the longest row", "[sharded]") {
  Csr csr = test::random_csr({.rows = 300, .columns = 60, .mean_length = 3}, 8);
  for (std::uint16_t& count : csr.count) count = 1;
  LivingMirror mirror(in_shards(3), csr, GENERATE(test::ntc_weighting, test::nnn_weighting));
  check_like_fresh(mirror);
  const double shortly = mirror.backend().longest();
  Csr one;  // by far the longest
  one.columns = 60;
  for (std::uint32_t t = 0; t < 60; ++t) one.column.push_back(t), one.count.push_back(65535);
  one.row_begin.push_back(one.column.size());
  mirror.change(one, {});
  check_like_fresh(mirror);
  CHECK(mirror.backend().longest() > 1000 * shortly);
  Csr nothing;
  nothing.columns = 60;
  mirror.change(nothing, {300});
  check_like_fresh(mirror);
  CHECK(mirror.backend().longest() < 10 * shortly);
  mirror.replace(one, {299}, {300});
  check_like_fresh(mirror);
  mirror.replace(nothing, {}, {299, 300});
  check_like_fresh(mirror);
}

TEST_CASE("a call may have one thread for all shards", "[sharded]") {
  LivingMirror mirror(in_shards(4, 1), test::random_csr({.rows = 500, .columns = 80}, 4));
  check_like_fresh(mirror);
}

TEST_CASE("long answers of many queries are merged part by part", "[sharded]") {
  const Csr csr = test::random_csr({.rows = 900, .columns = 50}, 5);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto whole = make_backend(csr.view(), weighting, test::options("cpu", 1));
  const auto parts = in_shards(5)(test::SegmentedMirror(csr.view()).list(), weighting);
  Queries queries;
  for (std::uint32_t q = 0; q < 1400; ++q)
    test::add_row_query(queries, csr.view(), q % 900, weighting);
  CHECK(parts->nearest(queries, 901) == whole->nearest(queries, 901));
}

TEST_CASE("rows are divided by entries", "[sharded]") {
  Csr csr;
  csr.columns = 100;
  for (std::uint32_t row = 0; row < 100; ++row) {  // the first ten have nearly all entries
    for (std::uint32_t t = 0; t < (row < 10 ? 100u : 1u); ++t)
      csr.column.push_back(t), csr.count.push_back(1);
    csr.row_begin.push_back(csr.column.size());
  }
  std::vector<std::uint64_t> entries(2);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  shard(test::SegmentedMirror(csr.view()).list(), weighting, 2, 1,
        [&](std::size_t i, SegmentListPointer own, const TermWeighting& weights) {
          entries[i] = own->nonzeros();
          return make_backend(std::move(own), weights, test::options("cpu", 1));
        });
  CHECK(entries[0] + entries[1] == csr.column.size());
  CHECK(entries[0] >= 500);
  CHECK(entries[0] <= 700);
}

TEST_CASE("a shard that cannot be made is the error of all", "[sharded]") {
  const Csr csr = test::random_csr({.rows = 50, .columns = 20}, 1);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const SegmentListPointer mirror = test::SegmentedMirror(csr.view()).list();
  const auto make = [](std::size_t i, SegmentListPointer own, const TermWeighting& weights) {
    if (i == 1) throw Error(Errc::kOutOfMemory, "the device is full");
    return make_backend(std::move(own), weights, test::options("cpu", 1));
  };
  CHECK(test::code_of([&] { shard(mirror, weighting, 3, 2, make); }) == Errc::kOutOfMemory);
  CHECK(test::code_of([&] { shard(mirror, weighting, 0, 2, make); }) == Errc::kInvalidArgument);
}

TEST_CASE("mistakes in a call are refused", "[sharded]") {
  LivingMirror mirror(in_shards(2), test::random_csr({.rows = 50, .columns = 20}, 1));
  const std::uint64_t row_begin[] = {0, 1};
  const std::uint32_t unknown = 20;
  const double weight = 1;
  std::vector<Neighbor> room(3);
  const DocumentSet other(test::SegmentedMirror(mirror.whole().view()).list());
  const QueryView query{1, row_begin, &unknown, &weight, nullptr};
  const auto refuses = [&](const auto& call) {
    return test::code_of(call) == Errc::kInvalidArgument;
  };
  CHECK(refuses([&] { mirror.backend().nearest(query, 3, nullptr, room); }));
  std::vector<LabelShare> shares(2);
  CHECK(refuses([&] { mirror.backend().vote(query, {.k = 3, .labels = 2}, shares); }));
  CHECK(refuses([&] { mirror.backend().nearest(Queries(), 0); }));
  CHECK(refuses([&] { mirror.backend().nearest(Queries(), 3, &other); }));
  CHECK(refuses([&] { mirror.backend().refreshed(mirror.list(), {}); }));
}

CUDA_TEST_CASE("a device that is named several times gives the bits of the CPU", "[sharded]") {
  const auto layout = GENERATE(DeviceLayout::kReplicated, DeviceLayout::kSharded);
  const auto make = [&](SegmentListPointer rows, const TermWeighting& weighting) {
    BackendOptions options = test::options(kind);
    options.devices = {0, 0, 0};
    options.layout = layout;
    options.coalesce = true;
    return make_backend(std::move(rows), weighting, options);
  };
  LivingMirror mirror(make, test::random_csr({.rows = 3000, .columns = 200}, 1),
                      GENERATE(test::ltc_weighting, test::ltn_weighting));
  CHECK(mirror.backend().info().device.starts_with("3 x "));
  check_like_fresh(mirror);
  mirror.change(test::random_csr({.rows = 90, .columns = 202}, 2), {3, 3001});
  check_like_fresh(mirror);
  mirror.replace(test::random_csr({.rows = 4, .columns = 202}, 3), {0, 17, 2999, 3090}, {8});
  check_like_fresh(mirror);
}

CUDA_TEST_CASE("rows are divided where a limit of memory leaves no room for all",
               "[sharded][large]") {
  const Csr csr = test::random_csr({.rows = 400000, .columns = 3000, .mean_length = 30}, 3);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  BackendOptions options = test::options(kind);
  const auto whole = make_backend(csr.view(), weighting, options);
  options.devices = {0, 0, 0, 0};
  options.memory = whole->info().bytes;  // a shard and what making it takes
  const auto parts = make_backend(csr.view(), weighting, options);
  CHECK(parts->info().device.find("each with some of the rows") != std::string::npos);
  Queries queries;
  for (std::uint32_t row = 0; row < 500; ++row)
    test::add_row_query(queries, csr.view(), row * 800, weighting);
  CHECK(parts->nearest(queries, 20) == whole->nearest(queries, 20));
}

}  // namespace
}  // namespace kindred
