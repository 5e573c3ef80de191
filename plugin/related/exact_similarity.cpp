#include "plugin/related/exact_similarity.h"

#include <cmath>
#include <cstdint>

#include "gpu/scoring.h"
#include "gpu/shared_terms.h"

namespace kindred {

ExactSimilarity::ExactSimilarity(std::span<const std::uint32_t> terms,
                                 std::span<const double> weights, const TermWeighting& weighting,
                                 double longest)
    : terms_(terms), weighting_(weighting), longest_(longest) {
  const double scale = std::ldexp(1.0, scale_exponent(longest));
  factors_.reserve(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i)
    factors_.push_back(term_factor(weights[i], weighting.idf[terms[i]], scale));
}

float ExactSimilarity::to(const RowEntries& row, double reciprocal) const {
  std::int64_t sum = 0;
  for_each_shared_term(row.columns, terms_, [&](std::size_t i, std::size_t j) {
    sum += contribution(factors_[j], weighting_.tf[row.counts[i]]);
  });
  return similarity(sum, reciprocal);
}

float ExactSimilarity::to(const RowEntries& row) const {
  const double own = euclidean_length(row.size(), [&](std::size_t i) {
    return weighting_.tf[row.counts[i]] * weighting_.idf[row.columns[i]];
  });
  const double common = weighting_.divisor == RowDivisor::kLongest ? longest_ : 0;
  const double unit = std::ldexp(1.0, -scale_exponent(longest_));
  return to(row, reciprocal_length(dividing_length(own, common), unit));
}

}  // namespace kindred
