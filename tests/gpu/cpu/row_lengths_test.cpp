// The lengths of a mirror's rows are those of the definition, to the bit, whether they were
// measured or corrected, on every instruction set.
#include "gpu/cpu/mirror/row_lengths.h"

#include <random>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/scoring.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/random_csr.h"

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

std::vector<double> lengths_of(const cpu::RowLengths& lengths, const cpu::MirrorRows& mirror,
                               const TermWeighting& weighting) {
  std::vector<double> result(mirror.places());
  lengths.write(mirror, weighting, 0, mirror.places(), result.data());
  return result;
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
  const cpu::MirrorRows mirror(csr.view(), {}, 2);
  const cpu::RowLengths lengths(mirror, weighting, {set, 2});
  CHECK((lengths_of(lengths, mirror, weighting) == defined_lengths(csr.view(), weighting)));
}

TEST_CASE("corrected lengths are those of the definition", "[lengths]") {
  const auto set = GENERATE(from_range(instruction_sets()));
  const auto plane_density = GENERATE(0.02, 2.0);
  CAPTURE(cpu::name(set), plane_density);
  const Csr csr = test::random_csr({.rows = 6000, .columns = 9000, .mean_length = 30}, 2);
  const cpu::MirrorRows mirror(csr.view(), {}, 2);
  const auto tiles = cpu::build_tiles(mirror, {1024, plane_density}, 2);
  const TermWeighting first = test::ltc_weighting(csr.view());
  TermWeighting weighting = first;
  cpu::RowLengths lengths(mirror, weighting, {set, 2});
  std::mt19937_64 random(3);
  constexpr double kFactors[] = {0, 1e-30, 0.3, 0.5, 0.999, 1.001, 1.5, 2, 1e9};
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    TermWeighting later = i % 10 == 9 ? first : weighting;
    for (int n = 0; n < 5; ++n) {
      const std::uint32_t term = test::random_term(random, csr.columns);
      later.idf[term] = first.idf[term] * kFactors[random() % std::size(kFactors)];
    }
    lengths = cpu::RowLengths(lengths, tiles, weighting, mirror, later, {set, 2});
    weighting = std::move(later);
    if (i % 7 == 0) lengths = cpu::RowLengths(lengths, {}, weighting, mirror, weighting, {set, 2});
    CHECK((lengths_of(lengths, mirror, weighting) == defined_lengths(csr.view(), weighting)));
  }
}

}  // namespace
}  // namespace kindred
