// The contract of fall_back(). If a device fails, the CPU goes on with the same bits
// - for this call only, if memory was short;
// - from then on, if the device was lost.
// Other errors reach the caller.
#include "gpu/knn/fallback_backend.h"
#include "gpu/twins/factory.h"

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/hooked_backend.h"
#include "tests/fixtures/segmented_mirror.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::code_of;
using test::SegmentedMirror;

/// A mirror on a device that fails on demand, with a CPU behind it.
struct FallbackFixture {
  FallbackFixture()
      : backend(fall_back(test::failing(on_cpu(), fault), make_spare, mirror.list(), weighting,
                          [this](std::string_view line) { log.emplace_back(line); })) {}

  std::unique_ptr<const Backend> on_cpu() const {
    return make_backend(mirror.list(), weighting, test::options("cpu", 2));
  }
  std::vector<Neighbor> ask(const Backend& from) const {
    std::vector<Neighbor> neighbors(rows.rows() * std::size_t{5});
    from.nearest(
        {rows.rows(), rows.row_begin.data(), rows.column.data(), nullptr, rows.count.data()}, 5,
        nullptr, neighbors);
    return neighbors;
  }
  std::vector<LabelShare> vote(const Backend& from) const {
    std::vector<LabelShare> shares(rows.rows() * std::size_t{3});
    from.vote({rows.rows(), rows.row_begin.data(), rows.column.data(), nullptr, rows.count.data()},
              {5, 3, nullptr, {}}, shares);
    return shares;
  }

  Csr rows = test::random_csr({.rows = 60, .columns = 40}, 1);
  TermWeighting weighting = test::ltc_weighting(rows.view());
  test::Labels labels = test::random_labels(60, 7, 2);
  SegmentedMirror mirror{rows.view(), labels.view()};
  std::shared_ptr<std::optional<Errc>> fault = std::make_shared<std::optional<Errc>>();
  int spares = 0;
  MakeSpare make_spare = [this](SegmentListPointer of, const TermWeighting& weights) {
    ++spares;
    return make_backend(std::move(of), weights, test::options("cpu", 2));
  };
  std::vector<std::string> log;
  std::unique_ptr<const Backend> backend;
};

TEST_CASE("a lost device is replaced by the CPU for good", "[fallback]") {
  FallbackFixture f;
  const auto expected = f.ask(*f.on_cpu());
  CHECK(f.ask(*f.backend) == expected);
  CHECK(f.backend->info().kind == "cuda");
  CHECK(f.spares == 0);
  *f.fault = Errc::kDevice;
  CHECK(f.ask(*f.backend) == expected);
  CHECK(f.vote(*f.backend) == f.vote(*f.on_cpu()));
  f.fault->reset();  // a device does not come back
  CHECK(f.ask(*f.backend) == expected);
  CHECK(f.backend->info().kind == "cpu");
  CHECK(f.spares == 1);
  CHECK(f.log == std::vector<std::string>{"the CPU answers: the device says so"});
}

TEST_CASE("a call that does not fit the device is answered by the CPU", "[fallback]") {
  FallbackFixture f;
  *f.fault = Errc::kOutOfMemory;
  CHECK(f.ask(*f.backend) == f.ask(*f.on_cpu()));
  CHECK(f.vote(*f.backend) == f.vote(*f.on_cpu()));
  CHECK(f.backend->info().kind == "cuda");
  CHECK(f.spares == 1);
  CHECK(f.log.size() == 1);
}

TEST_CASE("the caller's mistakes stay the caller's", "[fallback]") {
  FallbackFixture f;
  *f.fault = Errc::kInvalidArgument;
  CHECK(code_of([&] { f.ask(*f.backend); }) == Errc::kInvalidArgument);
  CHECK(f.spares == 0);
}

TEST_CASE("the CPU goes on with a mirror that was refreshed", "[fallback]") {
  FallbackFixture f;
  const bool lost_before = GENERATE(false, true);
  const Csr more = test::random_csr({.rows = 20, .columns = 45}, 3);
  const test::Labels more_labels = test::random_labels(20, 7, 4);
  f.mirror.add(more.view(), more_labels.view());
  const TermWeighting weighting = test::ltc_weighting(f.mirror.whole().view());
  const SegmentListPointer change = f.mirror.kill(std::array{1u, 3u, 64u}).list();
  const auto expected = make_backend(change, weighting, test::options("cpu", 2));

  if (lost_before) *f.fault = Errc::kDevice;
  const auto refreshed = f.backend->refreshed(change, weighting);
  CHECK(refreshed->info().kind == (lost_before ? "cpu" : "cuda"));
  *f.fault = Errc::kDevice;
  CHECK(f.ask(*refreshed) == f.ask(*expected));
  CHECK(f.vote(*refreshed) == f.vote(*expected));
  CHECK(refreshed->info().kind == "cpu");
}

}  // namespace
}  // namespace kindred
