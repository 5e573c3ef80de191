// The CUDA twin of a map against the CPU twin. From one start, both give the same bits, even if
// - units have many rows,
// - rows have no entries,
// - columns do not fit into shared memory at once.
// Other tests tell what happens if the device is short of memory.
#include "gpu/som/train.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/twins.h"

using namespace kindred;
using test::code_of;

namespace {

struct RowsShape {
  std::uint32_t rows, columns;
  double entries;  ///< of a row, on average; every tenth row has none
  bool near_one_unit = false;
};

class RandomRows {
 public:
  RandomRows(const RowsShape& shape, unsigned seed) : shape_(shape) {
    std::mt19937 random(seed);
    const double density = shape.entries / shape.columns;
    std::geometric_distribution<std::uint32_t> gap(std::min(density, 0.999));
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
      for (std::uint32_t c = gap(random); row % 10 != 9 && c < shape.columns;
           c += 1 + gap(random)) {
        column_.push_back(c);
        const float spread = shape.near_one_unit ? 0.001f : 1.0f;
        weight_.push_back(1.0f + spread * static_cast<float>(random() % 1000) / 1000.0f);
      }
      row_begin_.push_back(column_.size());
    }
  }
  SomRows view() const {
    return {shape_.rows, shape_.columns, row_begin_.data(), column_.data(), weight_.data()};
  }

 private:
  RowsShape shape_;
  std::vector<std::uint64_t> row_begin_{0};
  std::vector<std::uint32_t> column_;
  std::vector<float> weight_;
};

SomPlan plan_of(const SomLattice& lattice, std::uint32_t epochs) {
  SomPlan plan;
  plan.lattice = lattice;
  plan.schedule.epochs = epochs;
  plan.schedule.sigma_start = 2;
  plan.start = SomStart::kUniform;
  return plan;
}

SomResult train(const std::string& kind, const SomRows& rows, const SomPlan& plan,
                std::size_t memory = 0) {
  BackendOptions options = test::options(kind, 2);
  options.memory = memory;
  const auto twin = test::make_som_twin(plan.lattice, rows.columns, options);
  return train_som(*twin, {&rows, 1}, plan);
}

void compare(const SomRows& rows, const SomPlan& plan) {
  const SomResult cpu = train("cpu", rows, plan), cuda = train("cuda", rows, plan);
  CHECK(cpu.codebook.weight == cuda.codebook.weight);
  CHECK(cpu.matches == cuda.matches);
  REQUIRE(cpu.epochs.size() == cuda.epochs.size());
  for (std::size_t i = 0; i < cpu.epochs.size(); ++i) {
    const SomEpoch &a = cpu.epochs[i], &b = cuda.epochs[i];
    CHECK(a.moved == b.moved);
    CHECK(a.quality.topographic_error == b.quality.topographic_error);
    CHECK(a.quality.quantization_error == Approx(b.quality.quantization_error).epsilon(1e-12));
  }
}

}  // namespace

CUDA_TEST_CASE("twins give the same map to the bit, on all lattices", "[som]") {
  const bool hexagonal = GENERATE(false, true), toroidal = GENERATE(false, true);
  const bool cut = GENERATE(false, true);
  CAPTURE(hexagonal, toroidal, cut);
  const RandomRows sample({700, 130, 20}, 3);
  SomPlan plan = plan_of({10, 9, hexagonal, toroidal}, test::affordable(6u, 2u));
  plan.cut = cut;
  compare(sample.view(), plan);
}

CUDA_TEST_CASE("twins give the same map to the bit, of any shape", "[som]") {
  const SomLattice lattice =
      GENERATE(SomLattice{1, 1, true, false}, SomLattice{1, 40, false, false},
               SomLattice{33, 1, true, false}, SomLattice{4, 8, true, false},
               SomLattice{70, 67, true, false});
  const RowsShape shape =
      GENERATE(RowsShape{1, 1, 1}, RowsShape{3, 700, 300}, RowsShape{129, 33, 8});
  CAPTURE(lattice.rows, lattice.columns, shape.rows, shape.columns);
  const RandomRows sample(shape, 5);
  compare(sample.view(), plan_of(lattice, test::affordable(3u, 2u)));
}

CUDA_TEST_CASE("twins give the same map to the bit where most rows share a unit", "[som]") {
  const RandomRows sample({9000, 40, 30, true}, 7);
  compare(sample.view(), plan_of({2, 2, true, false}, 3));
}

CUDA_TEST_CASE("twins give the same map to the bit where columns exceed shared memory", "[som]") {
  const RandomRows sample({300, 150000, 400}, 11);
  compare(sample.view(), plan_of({3, 4, true, false}, 3));
}

CUDA_TEST_CASE("rows that pass through the device in portions give the same map to the bit",
               "[som]") {
  const RandomRows sample({20000, 200, 150}, 13);
  const SomRows rows = sample.view();
  // With two units, both have more rows than fit sums of 32 bits.
  const SomLattice lattice = GENERATE(SomLattice{5, 6, true, false}, SomLattice{1, 2, true, false});
  const SomPlan plan = plan_of(lattice, 3);
  const SomResult whole = train("cuda", rows, plan);
  const SomResult portions = train("cuda", rows, plan, std::size_t{12} << 20);
  CHECK(portions.codebook.weight == whole.codebook.weight);
  CHECK(portions.matches == whole.matches);
  CHECK(portions.epochs[0].moved == 20000);
  CHECK(portions.epochs[0].quality.quantization_error ==
        Approx(whole.epochs[0].quality.quantization_error).epsilon(1e-12));
}

CUDA_TEST_CASE("a device that is named several times and a processor train the map of the CPU",
               "[som]") {
  const RandomRows sample({5000, 300, 40}, 19);
  const SomRows rows = sample.view();
  const SomPlan plan = plan_of({3, 4, true, false}, 3);
  BackendOptions options = test::options("cuda", 2);
  options.devices = {0, 0, 0};
  auto twins = make_som_twins(plan.lattice, 300, options);
  REQUIRE(twins.size() == 3);
  twins.push_back(test::make_som_twin(plan.lattice, 300, test::options("cpu", 2)));
  SomTwin* const all[] = {twins[0].get(), twins[1].get(), twins[2].get(), twins[3].get()};
  const SomResult alone = train("cpu", rows, plan);
  for (const std::size_t used : {3, 4}) {
    const SomResult shared = train_som({std::span(all).first(used)}, {&rows, 1}, plan);
    CHECK(shared.codebook.weight == alone.codebook.weight);
    CHECK(shared.matches == alone.matches);
  }
}

CUDA_TEST_CASE("a map on a device says which code trains it", "[som]") {
  const auto twin = test::make_som_twin({2, 2, false, false}, 3, test::options(kind));
  CHECK(twin->description().find(" (code for ") != std::string::npos);
}

CUDA_TEST_CASE("a map that does not fit the device is refused, or the CPU's", "[som]") {
  const RandomRows sample({20, 5000, 30}, 17);
  const SomPlan plan = plan_of({20, 20, true, false}, 2);
  CHECK(code_of([&] { train("cuda", sample.view(), plan, 1 << 20); }) == Errc::kOutOfMemory);
  CHECK(train("auto", sample.view(), plan, 1 << 20).codebook.weight ==
        train("cpu", sample.view(), plan).codebook.weight);
}

CUDA_TEST_CASE("a map that goes from the device to the CPU is admitted for each", "[som]") {
  const SomLattice lattice = {20, 20, true, false};
  std::vector<bool> asked;
  const auto make = [&](const char* wanted, std::size_t memory) {
    BackendOptions options = test::options(wanted);
    options.memory = memory;
    asked.clear();
    return test::make_som_twin(lattice, 5000, options, [&](bool on_device) {
      asked.push_back(on_device);
      if (!on_device) throw Error(Errc::kOutOfMemory, "a map too large for the CPU");
    });
  };
  CHECK(make("auto", 0) != nullptr);
  CHECK(asked == std::vector<bool>{true});
  CHECK(make("cuda", 0) != nullptr);
  CHECK(code_of([&] { make("auto", 1 << 20); }, "for the CPU") == Errc::kOutOfMemory);
  CHECK(asked == std::vector<bool>{true, false});
}
