// What several devices hold, and what happens where a mirror does not fit (gpu/twins/factory.h).
#include <algorithm>

#include "gpu/workers.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/living_mirror.h"

namespace kindred {
namespace {

using test::check_like_fresh;
using test::LivingMirror;

/// CPU twins that stand for devices with room for so many entries each.
struct SmallDevices {
  std::unique_ptr<const Backend> make(std::size_t devices, bool coalesce) {
    BackendOptions options = test::options("cpu", 2);
    options.coalesce = coalesce;
    const auto one = [this](std::size_t device) {
      if (rows.view().nonzeros() > room[device])
        throw Error(Errc::kOutOfMemory, "no room for the rows");
      ++made;
      return make_backend(rows.view(), weighting, test::options("cpu", 1));
    };
    return make_on_devices(devices, one, options);
  }
  std::vector<Neighbor> ask(const Backend& backend) const {
    Queries queries;
    for (std::uint32_t row = 0; row < rows.rows(); ++row)
      test::add_row_query(queries, rows.view(), row, weighting);
    std::vector<Neighbor> found(queries.rows() * 6);
    for_each_item(queries.rows(), 4, [&](std::size_t q) {
      backend.nearest(queries.view().part(q, 1), 6, nullptr, std::span(found).subspan(q * 6, 6));
    });
    return found;
  }

  Csr rows = test::random_csr({.rows = 300, .columns = 70}, 1);
  TermWeighting weighting = test::ltc_weighting(rows.view());
  std::vector<std::uint64_t> room = std::vector<std::uint64_t>(3, UINT64_MAX);
  std::atomic<int> made = 0;
};

TEST_CASE("each of several devices has the whole mirror", "[devices]") {
  SmallDevices d;
  const std::size_t devices = GENERATE(as<std::size_t>{}, 1, 3);
  const auto backend = d.make(devices, GENERATE(false, true));
  CHECK(d.made == static_cast<int>(devices));
  CHECK(backend->info().device.starts_with("3 x ") == (devices == 3));
  CHECK(d.ask(*backend) ==
        d.ask(*make_backend(d.rows.view(), d.weighting, test::options("cpu", 1))));
}

TEST_CASE("a mirror that does not fit one of the devices is an error", "[devices]") {
  SmallDevices d;
  d.room[2] = d.rows.view().nonzeros() - 1;
  CHECK(test::code_of([&] { d.make(3, false); }) == Errc::kOutOfMemory);
  CHECK(test::code_of([&] { d.make(2, false); }) == Errc::kOk);
}

CUDA_TEST_CASE("a device that is named several times gives the bits of the CPU", "[devices]") {
  const auto make = [&](SegmentListPointer rows, const TermWeighting& weighting) {
    BackendOptions options = test::options(kind);
    options.devices = {0, 0, 0};
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

CUDA_TEST_CASE(
    "a mirror that fits no device is answered by the CPU, or an error says how large it is",
    "[devices]") {
  const Csr csr = test::random_csr({.rows = 20000, .columns = 500, .mean_length = 30}, 3);
  const TermWeighting weighting = test::ltc_weighting(csr.view());
  BackendOptions options = test::options(kind);
  options.devices = GENERATE(std::vector<int>{0}, std::vector<int>{0, 0});
  options.memory = 1 << 20;
  CHECK(test::code_of([&] { make_backend(csr.view(), weighting, options); }, "MB are needed") ==
        Errc::kOutOfMemory);
  std::vector<std::string> log;
  options.kind = "auto";
  options.log = [&](std::string_view line) { log.emplace_back(line); };
  const auto backend = make_backend(csr.view(), weighting, options);
  CHECK(backend->info().kind == "cpu");
  REQUIRE(log.size() == 1);
  CHECK(log[0].starts_with("the CPU answers: "));
  CHECK(log[0].find(" MB are needed") != std::string::npos);
}

}  // namespace
}  // namespace kindred
