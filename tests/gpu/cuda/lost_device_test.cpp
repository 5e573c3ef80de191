// A device fails in the middle of its work. After that,
// - "cuda" gives clear errors, which say that the process has lost its CUDA context;
// - "auto" gives the answers of the CPU;
// - destructors neither throw nor hang.
// This is one test case, since the process has no device after it.
#include "gpu/som/train.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/twins.h"
#include "tests/gpu/cuda/break_device.h"

namespace kindred {
namespace {

using test::code_of;

CUDA_TEST_CASE("a lost device is an error, or the CPU goes on", "[lost]") {
  const Csr csr = test::random_csr({.rows = 500, .columns = 80}, 1);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  const auto make = [&](const char* wanted) {
    return make_backend(csr.view(), weighting, test::options(wanted));
  };
  const auto ask = [&](const Backend& backend, std::size_t rows) {
    std::vector<Neighbor> neighbors(rows * 7);
    backend.nearest({rows, csr.row_begin.data(), csr.column.data(), nullptr, csr.count.data()}, 7,
                    nullptr, neighbors);
    return neighbors;
  };
  const auto cpu = make("cpu"), cuda = make("cuda"), automatic = make("auto");
  const std::vector<float> weights = unit_weights(csr.view(), weighting);
  const SomRows rows =
      SomRows{csr.rows(), csr.columns, csr.row_begin.data(), csr.column.data(), weights.data()};
  const auto twin = test::make_som_twin({4, 4, true, false}, csr.columns, test::options("cuda"));
  const auto part = twin->hold(rows);
  REQUIRE(ask(*cuda, 500) == ask(*cpu, 500));
  REQUIRE(ask(*automatic, 500) == ask(*cpu, 500));
  REQUIRE(automatic->info().kind == "cuda");

  REQUIRE(test::break_device());
  for (int again = 0; again < 2; ++again) {
    CHECK(code_of([&] { ask(*cuda, 500); }, "CUDA context of this process is lost") ==
          Errc::kDevice);
    CHECK(code_of([&] { ask(*cuda, 1); }) == Errc::kDevice);
    CHECK(code_of([&] { part->match(); }) == Errc::kDevice);
    CHECK(ask(*automatic, 500) == ask(*cpu, 500));
    CHECK(ask(*automatic, 1) == ask(*cpu, 1));
  }
  CHECK(automatic->info().kind == "cpu");
  CHECK_THROWS_AS(make("cuda"), Error);
  CHECK(ask(*make("auto"), 500) == ask(*cpu, 500));
  CHECK(test::make_som_twin({4, 4, true, false}, csr.columns, test::options("auto")) != nullptr);
}

}  // namespace
}  // namespace kindred
