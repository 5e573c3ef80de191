// Lattices, schedules and measures of gpu/som*.h, and the published figures on the Olivetti faces.
#include "gpu/som/quality.h"

#include "gpu/som/train.h"
#include "tests/fixtures/twins.h"
#include "tests/gpu/som/som_reference.h"

using namespace kindred;

TEST_CASE("units have 8 or 6 neighbors inside a map and fewer at its edge", "[som]") {
  const SomLattice rectangular{5, 6, false, false}, hexagonal{5, 6, true, false};
  CHECK(neighbors_of(rectangular, 14).size() == 8);
  CHECK(neighbors_of(rectangular, 0) == std::vector<std::uint32_t>{1, 6, 7});
  CHECK(neighbors_of(hexagonal, 14) == std::vector<std::uint32_t>{7, 8, 13, 15, 19, 20});
  CHECK(neighbors_of(hexagonal, 7) == std::vector<std::uint32_t>{1, 2, 6, 8, 13, 14});
}

TEST_CASE("every unit of a torus has all its neighbors", "[som]") {
  const bool hexagonal = GENERATE(false, true);
  const SomLattice torus{6, 8, hexagonal, true};
  for (std::uint32_t unit = 0; unit < torus.units(); ++unit)
    CHECK(neighbors_of(torus, unit).size() == (hexagonal ? 6u : 8u));
}

TEST_CASE("sigma falls exponentially, linearly, or with a constant tau", "[som]") {
  SomSchedule schedule{8, 0.5, SomSchedule::Fall::kExponential, 10, 4, 0};
  CHECK(sigma_at(schedule, 0) == 8);
  CHECK(sigma_at(schedule, 2) == Approx(2));
  CHECK(sigma_at(schedule, 4) == 0.5);
  CHECK(sigma_at(schedule, 9) == 0.5);
  schedule.fall = SomSchedule::Fall::kLinear;
  CHECK(sigma_at(schedule, 2) == Approx(4.25));
  schedule.tau = 2;
  CHECK(sigma_at(schedule, 2) == Approx(8 / std::exp(1.0)));
  CHECK(sigma_at(schedule, 9) == 0.5);
  CHECK(resolved({}, 50, 40).sigma_start == 20);
  CHECK(resolved({}, 1, 1).sigma_start == 1);
}

TEST_CASE("the topographic error counts rows whose second-best unit is no neighbor", "[som]") {
  const SomLattice lattice{3, 3, false, false};
  const std::vector<SomMatch> matches = {{0, 1, 1.0}, {0, 4, 2.0}, {0, 8, 3.0}, {0, 3, 2.0}};
  const SomQuality quality = quality_of(tally_of(lattice, matches));
  CHECK(quality.quantization_error == 2);
  CHECK(quality.topographic_error == 0.25);
  CHECK(count_hits(9, matches)[0] == 4);
}

TEST_CASE("the U-matrix has the mean distance to the neighbors", "[som]") {
  const SomLattice lattice{1, 3, false, false};
  const SomCodebook codebook{3, 2, {0, 3, 3, 0, 4, 4}};
  CHECK(u_matrix(lattice, codebook) == std::vector<float>{5, 2.5, 0});
}

TEST_CASE("purity and mutual information are scikit-learn's", "[som]") {
  const std::vector<std::uint32_t> groups = {0, 0, 0, 1, 1, 2}, classes = {5, 5, 6, 6, 6, 5};
  const Agreement result = agreement(groups, classes);
  CHECK(result.purity == Approx(5.0 / 6));
  CHECK(result.mutual_information == Approx(0.4398695));
  CHECK(agreement(groups, groups).mutual_information == Approx(1));
  const std::vector<std::uint32_t> same = {1, 1, 1, 1, 1, 1};
  CHECK(agreement(same, classes).mutual_information == Approx(0).margin(1e-12));
  CHECK(agreement(same, same).mutual_information == 1);
}

namespace {

/// The Olivetti faces as numbers up to 1, [400, 4096]; empty, with a warning, if there is no file
/// of them.
std::vector<float> read_faces() {
  const char* directory = std::getenv("KINDRED_CORPORA");
  const std::string path = directory != nullptr ? directory : KINDRED_SOURCE_DIR "/../shared/data";
  std::ifstream file(path + "/olivetti_400x4096_u8.bin", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<float> faces;
  if (bytes.size() != 400 * 4096) {
    WARN("skipped: no Olivetti faces");
    return faces;
  }
  for (const char byte : bytes)
    faces.push_back(static_cast<float>(static_cast<unsigned char>(byte)) / 242.0f);
  return faces;
}

/// The medians of both errors over 10 seeds.
SomQuality median_quality(const std::vector<float>& faces, SomPlan plan) {
  const test::FullRows full(400, 4096, faces);
  const SomRows rows = full.view();
  std::vector<double> quantization, topographic;
  for (plan.seed = 1; plan.seed <= 10; ++plan.seed) {
    const auto twin = test::make_som_twin(plan.lattice, 4096, {"cpu", 2});
    const SomQuality quality = train_som(*twin, {&rows, 1}, plan).quality;
    quantization.push_back(quality.quantization_error);
    topographic.push_back(quality.topographic_error);
  }
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return (values[4] + values[5]) / 2;
  };
  return {median(quantization), median(topographic)};
}

/// A plan for the published map, but with this schedule.
SomPlan faces_plan(const SomSchedule& schedule) {
  SomPlan plan;
  plan.lattice = {5, 6, false, false};
  plan.schedule = schedule;
  plan.cut = true;
  plan.start = SomStart::kUniform;
  plan.stop_early = false;
  return plan;
}

}  // namespace

TEST_CASE("the published schedule gives the published errors on the Olivetti faces",
          "[som][slow]") {
  const std::vector<float> faces = read_faces();
  if (faces.empty()) return;
  const SomQuality quality =
      median_quality(faces, faces_plan({3, 1e-9, SomSchedule::Fall::kExponential, 50, 0, 50}));
  CAPTURE(quality.quantization_error, quality.topographic_error);
  CHECK(quality.quantization_error >= 6.53);
  CHECK(quality.quantization_error <= 6.61);
  CHECK(quality.topographic_error <= 0.03);
}

TEST_CASE("a radius that ends at 1 is better in both errors on the Olivetti faces", "[som][slow]") {
  const std::vector<float> faces = read_faces();
  if (faces.empty()) return;
  const SomQuality quality =
      median_quality(faces, faces_plan({3, 1, SomSchedule::Fall::kExponential, 50, 0, 0}));
  CAPTURE(quality.quantization_error, quality.topographic_error);
  CHECK(quality.quantization_error < 6.55);
  CHECK(quality.topographic_error < 0.0180);
}
