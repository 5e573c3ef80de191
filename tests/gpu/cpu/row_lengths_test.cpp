// The lengths of a mirror's rows are those of the definition, to the bit, on every instruction set.
#include "gpu/cpu/row_lengths.h"

#include "config/error.h"
#include "gpu/scoring.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/segmented_mirror.h"

namespace kindred {
namespace {

using cpu::InstructionSet;

/// Those that the processor has.
std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    const test::ForcedInstructionSet forced(name);
    try {
      sets.push_back(cpu::choose_instruction_set());
    } catch (const Error&) {
    }
  }
  return sets;
}

std::vector<double> defined_lengths(CsrView matrix, const TermWeighting& weighting) {
  std::vector<double> lengths;
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    const std::uint64_t begin = matrix.row_begin[row];
    lengths.push_back(euclidean_length(matrix.row_begin[row + 1] - begin, [&](std::size_t j) {
      return weighting.tf[matrix.count[begin + j]] * weighting.idf[matrix.column[begin + j]];
    }));
  }
  return lengths;
}

/// Rows of all small sizes, and of sizes around the largest that a kernel takes.
Csr rows_of_all_sizes() {
  std::mt19937_64 random(1);
  Csr csr;
  csr.columns = 5000;
  for (std::uint32_t size = 0; size < 80; ++size)
    for (std::uint32_t t = 0; t <= size; ++t) {
      if (t == size) csr.row_begin.push_back(csr.column.size());
      if (t == size) break;
      csr.column.push_back(t * 60 + static_cast<std::uint32_t>(random() % 60));
      csr.count.push_back(test::random_count(random));
    }
  for (const std::uint32_t size : {4094u, 4095u, 4096u, 5000u}) {
    for (std::uint32_t t = 0; t < size; ++t)
      csr.column.push_back(t), csr.count.push_back(test::random_count(random));
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

TEST_CASE("measured lengths are those of the definition", "[lengths]") {
  const auto set = GENERATE(from_range(instruction_sets()));
  const auto factor = GENERATE(0.0, 1e-320, 1e-305, 1e-300, 1e-9, 1.0, 1e250);
  CAPTURE(cpu::name(set), factor);
  const Csr csr = rows_of_all_sizes();
  TermWeighting weighting = test::ltc_weighting(csr.view());
  for (std::size_t t = 0; t < weighting.idf.size(); ++t)
    weighting.idf[t] *= t % 7 == 0 ? factor * 0.01 : factor;
  const SegmentList mirror(borrowed_segment(csr.view(), {}));
  const auto lengths = cpu::measure_lengths(mirror, weighting, {set, 2});
  CHECK(std::ranges::equal(std::span(lengths.data(), lengths.size()),
                           defined_lengths(csr.view(), weighting)));
}

TEST_CASE("rows in several segments are measured, and dead ones have no length", "[lengths]") {
  const auto threads = GENERATE(as<std::size_t>{}, 1, 3);
  const Csr first = test::random_csr({.rows = 20000, .columns = 900, .mean_length = 20}, 1);
  const Csr added = test::random_csr({.rows = 3, .columns = 900, .mean_length = 20}, 2);
  const std::array<std::uint32_t, 3> indexes{7, 19999, 20000};
  const SegmentListPointer mirror = test::SegmentedMirror(first.view())
                                        .add(added.view(), {}, indexes)
                                        .kill(std::array{8u})
                                        .list();
  const TermWeighting weighting = test::ltc_weighting(first.view());
  std::vector<double> expected = defined_lengths(first.view(), weighting);
  expected[7] = expected[8] = expected[19999] = 0;  // replaced rows are dead at their old places
  expected.resize(mirror->parts()[1].first_place, 0);
  for (const double length : defined_lengths(added.view(), weighting)) expected.push_back(length);
  const auto lengths =
      cpu::measure_lengths(*mirror, weighting, {InstructionSet::kBaseline, threads});
  CHECK(std::ranges::equal(std::span(lengths.data(), lengths.size()), expected));
}

}  // namespace
}  // namespace kindred
