// The contract of gpu/som/train.h:
// - Maps agree with a reference in double that shares no code.
// - Partitions, twins and processes do not change the result.
// - Threads and instruction sets do not change the result.
// - Bad input is refused.
#include "gpu/som/train.h"

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/som_processes.h"
#include "tests/fixtures/twins.h"
#include "tests/gpu/som/som_reference.h"

using namespace kindred;
using test::code_of;

namespace {

/// Random rows, and the same as a matrix.
struct Samples {
  Samples(std::uint32_t row_count, std::uint32_t column_count, double density, unsigned seed)
      : rows(row_count), columns(column_count), dense(std::size_t{row_count} * column_count) {
    std::mt19937 random(seed);
    for (float& value : dense)
      if (static_cast<double>(random()) < density * 0x1p32)
        value = static_cast<float>(random() % 997 + 1) / 997.0f;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t c = 0; c < columns; ++c) {
        if (const float value = dense[std::size_t{row} * columns + c]; value != 0) {
          column.push_back(c);
          weight.push_back(value);
        }
      }
      row_begin.push_back(column.size());
    }
  }
  SomRows view() const { return {rows, columns, row_begin.data(), column.data(), weight.data()}; }
  std::vector<std::vector<double>> reference_rows() const {
    std::vector<std::vector<double>> result(rows);
    for (std::uint32_t row = 0; row < rows; ++row)
      result[row].assign(dense.begin() + std::size_t{row} * columns,
                         dense.begin() + (std::size_t{row} + 1) * columns);
    return result;
  }

  std::uint32_t rows, columns;
  std::vector<float> dense;
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> column;
  std::vector<float> weight;
};

SomResult train_on(const std::string& kind, const SomRows& rows, const SomPlan& plan,
                   std::size_t threads = 2, const SomProgress& progress = {},
                   const SomCodebook* warm = nullptr) {
  const auto twin = test::make_som_twin(plan.lattice, rows.columns, test::options(kind, threads));
  return train_som(*twin, {&rows, 1}, plan, progress, warm);
}

SomResult train(const SomRows& rows, const SomPlan& plan, std::size_t threads = 2,
                const SomProgress& progress = {}, const SomCodebook* warm = nullptr) {
  return train_on("cpu", rows, plan, threads, progress, warm);
}

SomPlan small_plan(bool hexagonal, bool toroidal, bool cut) {
  SomPlan plan;
  plan.lattice = {6, 7, hexagonal, toroidal};
  plan.schedule.epochs = 20;
  plan.schedule.sigma_end = 0.5;
  plan.cut = cut;
  plan.start = SomStart::kUniform;
  plan.stop_early = false;
  return plan;
}

}  // namespace

TWIN_TEST_CASE("a map agrees with a reference that scatters every sample, on all lattices",
               "[som]") {
  const bool hexagonal = GENERATE(false, true), toroidal = GENERATE(false, true);
  const bool cut = GENERATE(false, true);
  const double density = GENERATE(0.2, 1.0);
  CAPTURE(hexagonal, toroidal, cut, density);
  const Samples samples(150, 23, density, 7);
  SomPlan plan = small_plan(hexagonal, toroidal, cut);
  const int epochs = test::affordable(20, 5);
  plan.schedule.epochs = static_cast<std::uint32_t>(epochs);
  const SomRows rows = samples.view();

  const SomCodebook start = start_codebook(plan.lattice, {&rows, 1}, plan.start, plan.seed);
  test::ReferenceMap reference{6, 7, hexagonal, toroidal, cut, {}};
  for (std::uint32_t u = 0; u < 42; ++u) {
    auto& unit = reference.weights.emplace_back();
    for (std::uint32_t c = 0; c < 23; ++c) unit.push_back(start.column(c)[u]);
  }
  const auto reference_rows = samples.reference_rows();
  for (int epoch = 0; epoch < epochs; ++epoch)  // from 3 down to 0.5
    reference.epoch(reference_rows, 3 * std::pow(0.5 / 3, epoch / (epochs - 1.0)));

  const SomResult result = train_on(kind, rows, plan);
  double worst = 0;
  for (std::uint32_t u = 0; u < 42; ++u)
    for (std::uint32_t c = 0; c < 23; ++c)
      worst = std::max(worst, std::abs(result.codebook.column(c)[u] - reference.weights[u][c]));
  CHECK(worst < 1e-4);
  double error = 0;
  for (std::uint32_t row = 0; row < 150; ++row) {
    const auto best = reference.match(reference_rows[row]);
    CHECK(result.matches[row].unit == static_cast<std::uint32_t>(best.first));
    CHECK(result.matches[row].second == static_cast<std::uint32_t>(best.second));
    error += reference.distance(reference_rows[row], best.first) / 150;
  }
  CHECK(std::abs(result.quality.quantization_error - error) < 1e-4);
}

namespace {

/// Where the rows of a map are: in partitions, on twins, and in processes, each with as many rows.
struct Layout {
  std::uint32_t partitions = 1;
  std::size_t twins = 1, threads = 2, processes = 1;
};

std::vector<SomRows> cut(const SomRows& rows, std::uint64_t pieces) {
  std::vector<SomRows> cut_rows;
  for (std::uint64_t i = 0; i < pieces; ++i)
    cut_rows.push_back(partition_of(rows, static_cast<std::uint32_t>(rows.rows * i / pieces),
                                    static_cast<std::uint32_t>(rows.rows * (i + 1) / pieces)));
  return cut_rows;
}

/// Trains a map with rows that lie so. Every process must get the same codebook.
SomResult train_apart(const std::string& kind, const SomRows& rows, const SomPlan& plan,
                      const SomCodebook& start, const Layout& layout) {
  const std::vector<SomRows> shares = cut(rows, layout.processes);
  std::vector<SomResult> results(layout.processes);
  const auto run = [&](std::size_t process, SomExchange* others) {
    std::vector<std::unique_ptr<SomTwin>> twins;
    std::vector<SomTwin*> borrowed;
    for (std::size_t t = 0; t < layout.twins; ++t) {
      twins.push_back(
          test::make_som_twin(plan.lattice, rows.columns, test::options(kind, layout.threads)));
      borrowed.push_back(twins.back().get());
    }
    const std::vector<SomRows> partitions = cut(shares[process], layout.partitions);
    results[process] = train_som({borrowed, others}, partitions, plan, {}, &start);
  };
  if (layout.processes == 1) {
    run(0, nullptr);
  } else {
    test::SomProcesses(layout.processes).run([&](std::size_t process, SomExchange& others) {
      run(process, &others);
    });
  }
  SomResult all = std::move(results.front());
  for (std::size_t process = 1; process < layout.processes; ++process) {
    CHECK(results[process].codebook.weight == all.codebook.weight);
    CHECK(results[process].quality.topographic_error == all.quality.topographic_error);
    const std::vector<SomMatch>& matches = results[process].matches;
    all.matches.insert(all.matches.end(), matches.begin(), matches.end());
  }
  return all;
}

void check_same(const SomResult& found, const SomResult& expected) {
  CHECK(found.codebook.weight == expected.codebook.weight);
  CHECK(found.matches == expected.matches);
  REQUIRE(found.epochs.size() == expected.epochs.size());
  for (std::size_t i = 0; i < found.epochs.size(); ++i) {
    const SomEpoch &a = found.epochs[i], &b = expected.epochs[i];
    CHECK(a.moved == b.moved);
    CHECK(a.quality.topographic_error == b.quality.topographic_error);
    CHECK(a.quality.quantization_error == Approx(b.quality.quantization_error).epsilon(1e-6));
  }
}

}  // namespace

TWIN_TEST_CASE("a map is the same, however its rows are dealt to parts, twins and processes",
               "[som]") {
  // With a few units, some have more rows than fit sums of 32 bits.
  const SomLattice lattice =
      GENERATE(SomLattice{6, 7, true, false}, SomLattice{1, 2, false, false});
  CAPTURE(lattice.rows);
  const Samples samples(3000, 31, 0.3, 11);
  const SomRows rows = samples.view();
  SomPlan plan = small_plan(true, false, false);
  plan.lattice = lattice;
  plan.schedule.epochs = test::affordable(5u, 2u);
  const SomCodebook start = start_codebook(lattice, {&rows, 1}, SomStart::kDocuments, 3);
  const SomResult whole = train_apart(kind, rows, plan, start, {});
  for (const Layout& layout :
       {Layout{2}, Layout{3}, Layout{5}, Layout{1, 1, 1}, Layout{1, 1, 7}, Layout{1, 2},
        Layout{2, 3}, Layout{1, 1, 2, 2}, Layout{2, 2, 1, 3}}) {
    CAPTURE(layout.partitions, layout.twins, layout.threads, layout.processes);
    check_same(train_apart(kind, rows, plan, start, layout), whole);
  }
}

TEST_CASE("processes that train one map need a codebook to start from", "[som]") {
  const Samples samples(20, 5, 1, 3);
  const SomRows rows = samples.view();
  const SomPlan plan = small_plan(false, false, false);
  const auto twin = test::make_som_twin(plan.lattice, 5, test::options("cpu"));
  SomTwin* const twins[] = {twin.get()};
  test::SomProcesses(1).run([&](std::size_t, SomExchange& others) {
    CHECK(code_of([&] {
            train_som({twins, &others}, {&rows, 1}, plan);
          }) == Errc::kInvalidArgument);
  });
}

TWIN_TEST_CASE(
    "values of any size are added without overflow and within the bound that is promised",
    "[som]") {
  const float largest = GENERATE(1e-30f, 1.0f, 3e30f);
  const std::uint32_t count = GENERATE(1u, 1023u, 1024u, 5000u);
  CAPTURE(largest, count);
  // Column 0 has the largest value in every row, 1 its opposite, 2 a value between two integers.
  std::vector<float> data;
  for (std::uint32_t row = 0; row < count; ++row)
    data.insert(data.end(), {largest, -largest, largest * 0.333333343f});
  const test::FullRows full(count, 3, data);
  const SomRows rows = full.view();
  const auto twin = test::make_som_twin({1, 1, false, false}, 3, test::options(kind, 2));
  SomTwin* const twins[] = {twin.get()};
  SomReplicas replicas({twins}, {&rows, 1});
  replicas.match();
  replicas.update({1, false});
  const std::vector<float> weight = replicas.codebook().weight;
  const double bound = std::ldexp(1.0, bound_of(rows, 1).exponent);
  for (std::size_t c = 0; c < 3; ++c) {
    const double moved = std::abs(static_cast<double>(weight[c]) - data[c]);
    CHECK(moved <= bound * 0x1p-22 + 2 * std::abs(data[c]) * 0x1p-24);
  }
}

TEST_CASE("a seed gives the same map on any number of threads and any instruction set", "[som]") {
  const Samples samples(300, 50, 0.3, 5);
  const SomStart start =
      GENERATE(SomStart::kUniform, SomStart::kDocuments, SomStart::kPrincipalPlane);
  const SomRows rows = samples.view();
  SomPlan plan = small_plan(true, false, false);
  plan.lattice = {9, 13, true, false};
  plan.start = start;
  const SomResult one = train(rows, plan, 1);
  const SomResult three = train(rows, plan, 3);
  setenv("KINDRED_SIMD", "baseline", 1);
  const SomResult baseline = train(rows, plan, 2);
  unsetenv("KINDRED_SIMD");
  CHECK(one.codebook.weight == three.codebook.weight);
  CHECK(one.matches == three.matches);
  CHECK(one.codebook.weight == baseline.codebook.weight);
  if (start != SomStart::kUniform) return;
  plan.seed = 2;
  CHECK(train(rows, plan).codebook.weight != one.codebook.weight);
}

TWIN_TEST_CASE("a map goes on from an earlier codebook", "[som]") {
  const Samples samples(200, 20, 1, 5);
  SomPlan plan = small_plan(false, false, false);
  const SomResult first = train_on(kind, samples.view(), plan);
  plan.schedule.sigma_start = plan.schedule.sigma_end;
  plan.schedule.epochs = 100;
  plan.stop_early = true;
  const SomResult second = train_on(kind, samples.view(), plan, 2, {}, &first.codebook);
  CHECK(second.epochs.front().quality.quantization_error ==
        Approx(first.quality.quantization_error));
  CHECK(second.quality.quantization_error <= first.quality.quantization_error + 1e-6);
  CHECK(second.epochs.size() < 100);  // no row moves any more
  CHECK(second.epochs.back().moved == 0);
}

TWIN_TEST_CASE("units that nothing reaches keep their weights", "[som]") {
  const test::FullRows full(3, 2, {1, 1, 1, 1, 1, 1});
  SomPlan plan;
  plan.lattice = {1, 3, false, false};
  plan.schedule = {0.5, 0.5, SomSchedule::Fall::kLinear, 1, 0, 0};
  plan.cut = true;  // reaches the winner alone
  const SomCodebook warm{3, 2, {0.9f, 0, -1, 0.9f, 0, -1}};
  const SomResult result = train_on(kind, full.view(), plan, 1, {}, &warm);
  CHECK(result.codebook.weight == std::vector<float>{1, 0, -1, 1, 0, -1});
  CHECK(result.quality.quantization_error == 0);
}

TWIN_TEST_CASE("a map of one unit is the mean of its rows", "[som]") {
  const test::FullRows full(2, 2, {0, 2, 2, 4});
  SomPlan plan;
  plan.lattice = {1, 1, GENERATE(false, true), false};
  const SomResult result = train_on(kind, full.view(), plan);
  CHECK(result.codebook.weight == std::vector<float>{1, 3});
  CHECK(result.matches[0].second == SomMatch::kNoUnit);
  CHECK(result.quality.topographic_error == 0);
  CHECK(u_matrix(plan.lattice, result.codebook) == std::vector<float>{0});
}

TWIN_TEST_CASE("a map may have more units than rows", "[som]") {
  const Samples samples(3, 10, 0.8, 2);
  SomPlan plan = small_plan(true, false, false);
  plan.start = GENERATE(SomStart::kUniform, SomStart::kDocuments, SomStart::kPrincipalPlane);
  const SomResult result = train_on(kind, samples.view(), plan);
  for (const float weight : result.codebook.weight) CHECK(std::isfinite(weight));
  CHECK(result.quality.quantization_error < 0.1);
}

TEST_CASE("what cannot be trained is refused", "[som]") {
  Samples samples(10, 4, 1, 3);
  const SomPlan plan = small_plan(false, false, false);
  CHECK(code_of([&] { train(test::FullRows(0, 4, {}).view(), plan); }) == Errc::kInvalidArgument);
  SomPlan empty = plan;
  empty.lattice.rows = 0;
  CHECK(code_of([&] { train(samples.view(), empty); }) == Errc::kInvalidArgument);
  SomPlan odd = plan;
  odd.lattice = {5, 4, true, true};
  CHECK(code_of([&] { train(samples.view(), odd); }) == Errc::kInvalidArgument);
  SomPlan rising = plan;
  rising.schedule.sigma_end = 100;
  rising.schedule.sigma_start = 1;
  CHECK(code_of([&] { train(samples.view(), rising); }) == Errc::kInvalidArgument);
  const SomCodebook other{3, 4, std::vector<float>(12)};
  CHECK(code_of([&] { train(samples.view(), plan, 1, {}, &other); }) == Errc::kInvalidArgument);
  samples.weight[17] = std::nanf("");
  CHECK_THROWS_WITH(train(samples.view(), plan),
                    "row 4 of the input: column 1 is not a finite number");
  CHECK(code_of([&] { test::make_som_twin(plan.lattice, 4, {"tpu"}); }) == Errc::kInvalidArgument);
}

TEST_CASE("a map on the CPU says how many threads train it", "[som]") {
  const auto twin = test::make_som_twin({2, 2, false, false}, 3, test::options("cpu", 3));
  CHECK(twin->description().starts_with("CPU ("));
  CHECK(twin->description().ends_with(", 3 threads)"));
}

TEST_CASE("a twin is made only where it is admitted", "[som]") {
  std::vector<bool> asked;
  const auto make = [&](bool admitted) {
    return test::make_som_twin({3, 3, true, false}, 4, test::options("cpu"), [&](bool on_device) {
      asked.push_back(on_device);
      if (!admitted) throw Error(Errc::kOutOfMemory, "a map too large to train");
    });
  };
  CHECK(make(true) != nullptr);
  CHECK(code_of([&] { make(false); }, "too large to train") == Errc::kOutOfMemory);
  CHECK(asked == std::vector<bool>{false, false});
}

TEST_CASE("progress tells each epoch and may cancel", "[som]") {
  const Samples samples(50, 8, 1, 3);
  const SomPlan plan = small_plan(false, false, false);
  std::uint32_t told = 0;
  const auto cancel_third = [&](const SomEpoch& epoch) {
    CHECK(epoch.epoch == ++told);
    CHECK(epoch.epochs == 20);
    return told < 3;
  };
  CHECK(code_of([&] { train(samples.view(), plan, 2, cancel_third); }) == Errc::kCanceled);
  CHECK(told == 3);
}
