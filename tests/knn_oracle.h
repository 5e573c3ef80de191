#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpu/backend.h"
#include "tests/random_csr.h"

// Cosines by brute force in long double; shares no code with gpu/.

namespace kindred::test {

/// A query as its maker wrote it down: term -> weight, of any length.
using RawQuery = std::map<std::uint32_t, long double>;

inline RawQuery raw_row(CsrView matrix, std::uint32_t row, const TermWeighting& weighting) {
  RawQuery query;
  for (std::uint64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i)
    query[matrix.column[i]] = static_cast<long double>(weighting.tf[matrix.count[i]]) *
                              static_cast<long double>(weighting.idf[matrix.column[i]]);
  return query;
}

/// The cosine of every row of the mirror to `query`; 0 where a vector has no length. The query is
/// weighted already (one idf), and documents are weighted here.
inline std::vector<double> exact_cosines(CsrView mirror, const TermWeighting& weighting,
                                         const RawQuery& query) {
  long double query_square = 0;
  for (const auto& [term, weight] : query) query_square += weight * weight;
  std::vector<long double> dense(mirror.columns, 0);
  for (const auto& [term, weight] : query) dense[term] = weight;
  std::vector<double> cosines(mirror.rows, 0);
  for (std::uint32_t row = 0; row < mirror.rows; ++row) {
    long double dot = 0, square = 0;
    for (std::uint64_t i = mirror.row_begin[row]; i < mirror.row_begin[row + 1]; ++i) {
      const long double weight = static_cast<long double>(weighting.tf[mirror.count[i]]) *
                                 static_cast<long double>(weighting.idf[mirror.column[i]]);
      dot += weight * dense[mirror.column[i]];
      square += weight * weight;
    }
    if (square > 0 && query_square > 0)
      cosines[row] = static_cast<double>(dot / std::sqrt(square * query_square));
  }
  return cosines;
}

/// What is wrong with `found` as the best neighbors among the rows of these cosines, or "".
/// A cosine of 0 or less is no neighbor; rows that are not allowed have been given one.
inline std::string ranking_fault(std::span<const Neighbor> found,
                                 const std::vector<double>& cosines, double tolerance = 1e-6) {
  std::set<std::uint32_t> seen;
  std::size_t n = 0;
  for (; n < found.size() && found[n].row != Neighbor::kNoRow; ++n) {
    const std::string at = " at rank " + std::to_string(n);
    const auto [row, similarity] = found[n];
    if (row >= cosines.size()) return "no such row" + at;
    if (!seen.insert(row).second) return "repeated row" + at;
    if (!(similarity > 0 && similarity <= 1)) return "similarity outside (0, 1]" + at;
    if (std::abs(similarity - cosines[row]) > tolerance) return "wrong similarity" + at;
    if (n > 0 && similarity > found[n - 1].similarity) return "similarity ascends" + at;
    if (n > 0 && similarity == found[n - 1].similarity && row < found[n - 1].row)
      return "rows of a tie descend" + at;
  }
  for (std::size_t i = n; i < found.size(); ++i)
    if (found[i] != Neighbor{}) return "something after the end";
  for (std::uint32_t row = 0; row < cosines.size(); ++row) {
    if (seen.contains(row) || cosines[row] < 1e-15) continue;
    if (n < found.size()) return "row " + std::to_string(row) + " is missing from a short list";
    if (cosines[row] > found.back().similarity + tolerance)
      return "row " + std::to_string(row) + " is missing";
  }
  return "";
}

/// Sets KINDRED_SIMD for its lifetime.
class ForcedInstructionSet {
 public:
  explicit ForcedInstructionSet(const char* name) { setenv("KINDRED_SIMD", name, 1); }
  ~ForcedInstructionSet() { unsetenv("KINDRED_SIMD"); }
  ForcedInstructionSet(const ForcedInstructionSet&) = delete;
  ForcedInstructionSet& operator=(const ForcedInstructionSet&) = delete;
};

}  // namespace kindred::test
