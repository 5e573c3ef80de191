#include "gpu/cpu/row_sum.h"
#include "gpu/scoring.h"

// The sum of a row in plain C++, for any processor.
// Floor: 4 bytes an entry from memory, and a bit of the query's terms in the first-level cache.

namespace kindred::cpu {

void QueryTables::start(const QueryFactors& query, const TermWeighting& weighting,
                        std::size_t columns) {
  tf_ = weighting.tf.data();
  if (factor_.size() < columns) {
    terms_.resize((columns + 31) / 32);
    factor_.resize(columns);
  }
  for (const auto& [term, factor] : query.entries()) {
    terms_[term / 32] |= std::uint32_t{1} << term % 32;
    factor_[term] = factor;
  }
}

void QueryTables::end(const QueryFactors& query) {
  for (const auto& [term, factor] : query.entries()) terms_[term / 32] = 0, factor_[term] = 0;
}

std::int64_t row_sum_baseline(const QueryTables& query, const RowEntries& row) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < row.size; ++i)
    if (query.has(row.column[i]))
      sum += contribution(query.factor()[row.column[i]], query.tf()[row.count[i]]);
  return sum;
}

RowSumFunction choose_row_sum(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return row_sum_avx512;
  if (set == InstructionSet::kAvx2) return row_sum_avx2;
#endif
  (void)set;
  return row_sum_baseline;
}

}  // namespace kindred::cpu
