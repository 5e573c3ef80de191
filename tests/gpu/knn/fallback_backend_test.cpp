// The contract of gpu/knn/fallback_backend.h. If a device fails, the CPU goes on with the same bits
// - for this call only, if memory was short;
// - from then on, if the device was lost.
// Other errors reach the caller.
#include "gpu/knn/fallback_backend.h"
#include "gpu/twins/factory.h"

#include <optional>

#include "config/error.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/failing_backend.h"
#include "tests/fixtures/random_labels.h"
#include "tests/fixtures/twins.h"

namespace kindred {
namespace {

using test::code_of;
using test::FailingBackend;

/// A mirror on a device that fails on demand, with a CPU behind it.
struct FallbackFixture {
  FallbackFixture()
      : backend(fall_back(std::make_unique<FailingBackend>(on_cpu(), fault), make_spare,
                          rows.view(), weighting, labels.view(),
                          [this](std::string_view line) { log.emplace_back(line); })) {}

  std::unique_ptr<const Backend> on_cpu() const {
    return make_backend(rows.view(), weighting, test::options("cpu", 2), labels.view());
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
  std::shared_ptr<std::optional<Errc>> fault = std::make_shared<std::optional<Errc>>();
  int spares = 0;
  MakeSpare make_spare = [this](CsrView mirror, const TermWeighting& weights, LabelView of_rows) {
    ++spares;
    return make_backend(mirror, weights, test::options("cpu", 2), of_rows);
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
  Csr more = test::random_csr({.rows = 20, .columns = 45}, 3);
  const test::Labels more_labels = test::random_labels(20, 7, 4);
  Csr whole = f.rows;
  whole.columns = 45;
  whole.column.insert(whole.column.end(), more.column.begin(), more.column.end());
  whole.count.insert(whole.count.end(), more.count.begin(), more.count.end());
  for (std::size_t row = 1; row < more.row_begin.size(); ++row)
    whole.row_begin.push_back(f.rows.row_begin.back() + more.row_begin[row]);
  const TermWeighting weighting = test::ltc_weighting(whole.view());
  RowSet dead(80);
  for (const std::uint32_t row : {1, 3, 64}) dead.set(row);
  const MirrorChange change{more.view(), more_labels.view(), nullptr, &dead};
  const auto expected = f.on_cpu()->refreshed(change, weighting);

  if (lost_before) *f.fault = Errc::kDevice;
  const auto refreshed = f.backend->refreshed(change, weighting);
  CHECK(refreshed->info().kind == (lost_before ? "cpu" : "cuda"));
  *f.fault = Errc::kDevice;
  CHECK(f.ask(*refreshed) == f.ask(*expected));
  CHECK(f.vote(*refreshed) == f.vote(*expected));
  CHECK(refreshed->info().kind == "cpu");
}

TEST_CASE("rows that were replaced keep their numbers and labels on the CPU", "[fallback]") {
  FallbackFixture f;
  const Csr more = test::random_csr({.rows = 4, .columns = 40}, 3);
  const Csr again = test::random_csr({.rows = 2, .columns = 40}, 5);
  const test::Labels labels = test::random_labels(4, 7, 4),
                     again_labels = test::random_labels(2, 7, 6);
  RowSet dead(61);
  dead.set(5), dead.set(9);
  const std::uint32_t first[] = {0, 9, 59, 60}, then[] = {5, 60};
  const auto after_both = [&](const Backend& backend) {
    return backend.refreshed({more.view(), labels.view(), first, &dead}, f.weighting)
        ->refreshed({again.view(), again_labels.view(), then}, f.weighting);
  };
  const auto expected = after_both(*f.on_cpu());
  const auto refreshed = after_both(*f.backend);
  *f.fault = Errc::kDevice;
  CHECK(f.ask(*refreshed) == f.ask(*expected));
  CHECK(f.vote(*refreshed) == f.vote(*expected));
  const std::uint32_t gap[] = {61, 63};
  CHECK(code_of([&] {
          refreshed->refreshed({again.view(), {}, gap}, f.weighting);
        }) == Errc::kInvalidArgument);
}

TEST_CASE("a mirror that only gains terms is found by the CPU", "[fallback]") {
  FallbackFixture f;
  Csr nothing;
  nothing.columns = 45;
  TermWeighting weighting = f.weighting;
  weighting.idf.resize(45, 1.0);
  const auto refreshed = f.backend->refreshed({nothing.view(), {}}, weighting);
  const auto expected = f.ask(*refreshed);
  *f.fault = Errc::kDevice;
  CHECK(f.ask(*refreshed) == expected);
}

TEST_CASE("rows that died in an earlier change stay dead on the CPU", "[fallback]") {
  FallbackFixture f;
  Csr nothing;
  nothing.columns = f.rows.columns;
  RowSet early(60), late(60);
  early.set(3), late.set(7);
  const auto after_both = [&](const Backend& backend) {
    return backend.refreshed({nothing.view(), {}, nullptr, &early}, f.weighting)
        ->refreshed({nothing.view(), {}, nullptr, &late}, f.weighting);
  };
  const auto expected = after_both(*f.on_cpu());
  const auto refreshed = after_both(*f.backend);
  *f.fault = Errc::kDevice;
  CHECK(f.ask(*refreshed) == f.ask(*expected));
  CHECK(f.vote(*refreshed) == f.vote(*expected));
}

}  // namespace
}  // namespace kindred
