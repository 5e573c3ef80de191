#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/cpu/exact.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/queries.h"
#include "gpu/segment_list.h"

namespace kindred::cpu {

/// A query's factors by term, for kernels that score row after row. Reused from query to query.
class QueryTables {
 public:
  /// The kernels then read this query's factors, for a mirror of so many columns.
  void start(const QueryFactors& query, const TermWeighting& weighting, std::size_t columns);
  /// Takes the query's factors out again.
  void end(const QueryFactors& query);

  const std::uint32_t* terms() const { return terms_.data(); }  ///< bit t % 32 of word t / 32
  const double* factor() const { return factor_.data(); }       ///< [columns] 0: not in the query
  const double* tf() const { return tf_; }

  bool has(std::uint32_t term) const { return (terms_[term / 32] >> term % 32 & 1) != 0; }

 private:
  std::vector<std::uint32_t> terms_;
  std::vector<double> factor_;
  const double* tf_ = nullptr;
};

/// The sum of a query's exact contributions to a row that is not dead. All kernels give the same.
using RowSumFunction = std::int64_t (*)(const QueryTables& query, const RowEntries& row);

std::int64_t row_sum_baseline(const QueryTables& query, const RowEntries& row);
#if defined(__x86_64__)
std::int64_t row_sum_avx2(const QueryTables& query, const RowEntries& row);
std::int64_t row_sum_avx512(const QueryTables& query, const RowEntries& row);
#endif

RowSumFunction choose_row_sum(InstructionSet set);

}  // namespace kindred::cpu
