// The contract of gpu/knn/device_layout.h: what several devices hold, by their memory.
#include "gpu/workers.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

/// CPU twins that stand for devices with room for so many entries each.
struct SmallDevices {
  std::unique_ptr<const Backend> make(std::size_t devices, DeviceLayout layout,
                                      bool coalesce = false) {
    BackendOptions options = test::options("cpu", 2);
    options.layout = layout;
    options.coalesce = coalesce;
    options.log = [this](std::string_view line) { log.emplace_back(line); };
    const auto one = [this](std::size_t, SegmentListPointer own, const TermWeighting& weights) {
      if (own->nonzeros() > room) throw Error(Errc::kOutOfMemory, "no room for the rows");
      const std::lock_guard lock(mutex);
      held.push_back(own->places());
      return make_backend(std::move(own), weights, test::options("cpu", 1));
    };
    return make_on_devices(devices, one, test::SegmentedMirror(rows.view()).list(), weighting,
                           options);
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
  std::vector<Neighbor> expected =
      ask(*make_backend(rows.view(), weighting, test::options("cpu", 1)));
  std::uint64_t room = UINT64_MAX;
  std::mutex mutex;
  std::vector<std::uint32_t> held;  ///< rows of each that was made
  std::vector<std::string> log;
};

TEST_CASE("each device has the whole mirror while it fits", "[layout]") {
  SmallDevices d;
  const auto backend = d.make(3, DeviceLayout::kAuto, GENERATE(false, true));
  CHECK(d.held == std::vector<std::uint32_t>(3, d.rows.rows()));
  CHECK(backend->info().device.find("3 x ") == 0);
  CHECK(d.ask(*backend) == d.expected);
  CHECK(d.log.empty());
}

TEST_CASE("rows are divided where the mirror does not fit a device", "[layout]") {
  SmallDevices d;
  d.room = d.rows.view().nonzeros() / 2;
  const auto backend = d.make(3, DeviceLayout::kAuto, GENERATE(false, true));
  CHECK(d.held.size() == 3);
  CHECK(backend->info().device.find("each with some of the rows") != std::string::npos);
  CHECK(d.ask(*backend) == d.expected);
  CHECK(d.log ==
        std::vector<std::string>{"the rows are divided among 3 devices: no room for the rows"});
}

TEST_CASE("a layout that is asked for is kept, or refused", "[layout]") {
  SmallDevices d;
  const auto backend = d.make(2, DeviceLayout::kSharded);
  CHECK(d.held.size() == 2);
  CHECK(d.held[0] + d.held[1] == d.rows.rows());
  CHECK(d.ask(*backend) == d.expected);
  d.room = d.rows.view().nonzeros() / 2;
  const auto code_of = [&](DeviceLayout layout) {
    return test::code_of([&] { d.make(2, layout); });
  };
  CHECK(code_of(DeviceLayout::kReplicated) == Errc::kOutOfMemory);
  d.room /= 2;
  CHECK(code_of(DeviceLayout::kAuto) == Errc::kOutOfMemory);
  CHECK(code_of(DeviceLayout::kSharded) == Errc::kOutOfMemory);
}

TEST_CASE("one device has all rows whatever the layout", "[layout]") {
  SmallDevices d;
  const auto backend = d.make(1, GENERATE(DeviceLayout::kAuto, DeviceLayout::kSharded));
  CHECK(d.held == std::vector<std::uint32_t>{d.rows.rows()});
  CHECK(d.ask(*backend) == d.expected);
}

}  // namespace
}  // namespace kindred
