#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "gpu/csr.h"
#include "gpu/queries.h"

namespace kindred::test {

/// What a random mirror looks like.
struct Shape {
  std::uint32_t rows = 300;
  std::uint32_t columns = 200;
  double mean_length = 12;       ///< terms in a row, about; terms of low number are frequent
  double empty_share = 0.05;     ///< rows without a term
  double duplicate_share = 0.1;  ///< rows that repeat the row before: exact ties
};

inline std::uint16_t random_count(std::mt19937_64& random) {
  static constexpr std::uint16_t kRare[] = {255, 256, 1000, 65535};
  if (random() % 400 == 0) return kRare[random() % 4];
  std::uint16_t count = 1;
  while (count < 200 && random() % 100 >= 73) ++count;
  return count;
}

/// A term of [0, columns), about 1 / (term + 1) as often as term 0.
inline std::uint32_t random_term(std::mt19937_64& random, std::uint32_t columns) {
  const double u = std::uniform_real_distribution<double>(0, 1)(random);
  const double term = std::pow(columns + 1.0, u) - 1;
  return std::min(static_cast<std::uint32_t>(term), columns - 1);
}

inline void add_row(Csr& csr, const std::set<std::uint32_t>& terms, std::mt19937_64& random) {
  for (const std::uint32_t term : terms) {
    csr.column.push_back(term);
    csr.count.push_back(random_count(random));
  }
  csr.row_begin.push_back(csr.column.size());
}

inline void repeat_last_row(Csr& csr) {
  const std::size_t begin = csr.row_begin[csr.row_begin.size() - 2], end = csr.row_begin.back();
  for (std::size_t i = begin; i < end; ++i) {
    csr.column.push_back(csr.column[i]);
    csr.count.push_back(csr.count[i]);
  }
  csr.row_begin.push_back(csr.column.size());
}

/// A term frequency distribution like that of text; empty rows and exact ties are among the rows.
inline Csr random_csr(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  Csr csr;
  csr.columns = shape.columns;
  for (std::uint32_t row = 0; row < shape.rows; ++row) {
    if (row > 0 && share(random) < shape.duplicate_share) {
      repeat_last_row(csr);
      continue;
    }
    std::set<std::uint32_t> terms;
    if (share(random) >= shape.empty_share && shape.columns > 0) {
      const auto draws = static_cast<std::size_t>(shape.mean_length * 2 * share(random)) + 1;
      for (std::size_t i = 0; i < draws; ++i) terms.insert(random_term(random, shape.columns));
    }
    add_row(csr, terms, random);
  }
  return csr;
}

/// `ltc`: tf[c] = 1 + ln c, idf = ln(N / df).
inline TermWeighting ltc_weighting(CsrView mirror) {
  std::vector<std::uint32_t> df(mirror.columns);
  for (std::uint64_t i = 0; i < mirror.nonzeros(); ++i) ++df[mirror.column[i]];
  TermWeighting weighting;
  for (const std::uint32_t n : df)
    weighting.idf.push_back(n == 0 ? 0 : std::log(double{1} * mirror.rows / n));
  weighting.tf.push_back(0);
  for (std::uint32_t c = 1; c <= kMaxCount; ++c) weighting.tf.push_back(1 + std::log(c));
  return weighting;
}

/// `ntc`: tf[c] = c, idf = ln(N / df).
inline TermWeighting ntc_weighting(CsrView mirror) {
  TermWeighting weighting = ltc_weighting(mirror);
  for (std::uint32_t c = 1; c <= kMaxCount; ++c) weighting.tf[c] = c;
  return weighting;
}

/// Appends a row of `matrix` to `queries`.
inline void add_row_query(Queries& queries, CsrView matrix, std::uint32_t row,
                          const TermWeighting& weighting) {
  const std::uint64_t begin = matrix.row_begin[row];
  const std::size_t n = matrix.row_begin[row + 1] - begin;
  const std::vector<std::uint32_t> counts(matrix.count + begin, matrix.count + begin + n);
  queries.add_counts({matrix.column + begin, n}, counts, weighting);
}

}  // namespace kindred::test
