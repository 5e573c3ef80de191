// The documents that corrections of term weights are learned from, against plain arithmetic.
#include "plugin/tune/learning/learning_neighbors.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/csr.h"
#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

constexpr std::uint32_t kFewTerms = 7, kFewRows = 40;

/// Row r holds the terms r % 7 and (r + 3) % 7, and every third row all of them.
Csr counts_of_few_terms() {
  Csr counts;
  counts.columns = kFewTerms;
  for (std::uint32_t row = 0; row < kFewRows; ++row) {
    for (std::uint32_t term = 0; term < kFewTerms; ++term) {
      if (row % 3 != 0 && term != row % 7 && term != (row + 3) % 7) continue;
      counts.column.push_back(term);
      counts.count.push_back(static_cast<std::uint16_t>(1 + (row + term) % 2));
    }
    counts.row_begin.push_back(counts.column.size());
  }
  return counts;
}

TermWeighting some_weights() {
  TermWeighting base;
  base.tf = {0, 1, 2};
  base.idf = {1, 2, .5, 3, 1.5, 0, 1};
  return base;
}

double unscaled_cosine(const CsrView& counts, const TermWeighting& base, std::uint32_t a,
                       std::uint32_t b) {
  const auto vector_of = [&](std::uint32_t row) {
    std::vector<double> vector(kFewTerms);
    for (std::uint64_t i = counts.row_begin[row]; i < counts.row_begin[row + 1]; ++i)
      vector[counts.column[i]] = base.tf[counts.count[i]] * base.idf[counts.column[i]];
    return vector;
  };
  const std::vector<double> u = vector_of(a), v = vector_of(b);
  double dot = 0, square = 0;
  for (std::uint32_t term = 0; term < kFewTerms; ++term) {
    dot += u[term] * v[term];
    square += v[term] * v[term];
  }
  return dot / std::sqrt(square);
}

}  // namespace

TEST_CASE("voters learn from the candidates that are most similar to them and vote") {
  const Csr counts = counts_of_few_terms();
  LearningNeighbors known{12, {1, 4, 30}, {}};
  for (const std::uint32_t row : known.documents) {
    for (std::uint32_t i = 0; i < 12; ++i)
      known.candidates.push_back({i < 10 ? (row + 1 + i * 3) % kFewRows : Neighbor::kNoRow, 0});
  }
  RowSet voters(kFewRows);
  for (std::uint32_t row = 0; row < kFewRows; ++row)
    if (row != 4 && row != 7 && row != 10 && row != 33) voters.set(row);
  for (const std::size_t threads : {1, 3}) {
    const LearningPairs pairs =
        learning_pairs(counts.view(), some_weights(), known, voters, 8, threads);
    REQUIRE(pairs.documents == std::vector<std::uint32_t>{1, 30});
    REQUIRE(pairs.neighbors.size() == 16);
    for (std::size_t d = 0; d < 2; ++d) {
      const std::size_t place = d == 0 ? 0 : 2;
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < 10; ++i) {
        const std::uint32_t row = known.candidates[place * 12 + i].row;
        if (voters.has(row)) expected.push_back(row);
      }
      const auto of = [&](std::uint32_t row) {
        return static_cast<float>(
            unscaled_cosine(counts.view(), some_weights(), pairs.documents[d], row));
      };
      std::sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
        return of(a) > of(b) || (of(a) == of(b) && a < b);
      });
      expected.resize(8, Neighbor::kNoRow);
      std::vector<std::uint32_t> found;
      for (std::size_t i = 0; i < 8; ++i) found.push_back(pairs.neighbors[d * 8 + i].row);
      CHECK(found == expected);
    }
  }
}
