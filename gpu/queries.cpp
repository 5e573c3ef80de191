#include "gpu/queries.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "config/error.h"
#include "gpu/scoring.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "query: " + fault);
}

void check_terms(std::span<const std::uint32_t> terms, std::size_t values) {
  if (terms.size() != values)
    refuse(std::to_string(terms.size()) + " terms come with " + std::to_string(values) + " values");

  // Terms that ascend strictly are also distinct: no weight of a term counts twice.
  const auto fault = std::adjacent_find(terms.begin(), terms.end(), std::greater_equal<>{});
  if (fault != terms.end())
    refuse("term " + std::to_string(fault[1]) + " follows term " + std::to_string(fault[0]) +
           ", they must ascend");
}

}  // namespace

template <typename WeightAt>
void Queries::append(std::span<const std::uint32_t> terms, WeightAt&& weight_at) {
  const std::size_t begin = row_begin_.back();
  const std::size_t n = terms.size();
  term_.resize(begin + n);  // drops what a call that failed may have left
  weight_.resize(begin + n);

  // The largest tells whether any is infinite, as a product of finite weights may be. None is a
  // NaN.
  double* const weight = weight_.data() + begin;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    weight[i] = weight_at(i);
    largest = std::max(largest, weight[i]);
  }
  if (!std::isfinite(largest)) refuse("a weight is not finite");

  const double scale = length_scale(largest);  // a power of two: it changes no bit
  for (std::size_t i = 0; i < n; ++i) weight[i] *= scale;
  const double length = euclidean_length(n, [&](std::size_t i) {
    return weight[i];
  });

  // Terms of weight 0 are dropped: the filter of a search counts terms, and they would only widen
  // its bounds. A weight may also be too small for its share of the length to be above 0.
  std::size_t kept = begin;
  for (std::size_t i = 0; i < n && length > 0; ++i) {
    const double unit = weight[i] / length;
    if (!(unit > 0)) continue;
    term_[kept] = terms[i];
    weight_[kept] = unit;
    ++kept;
  }

  // The row exists from here on: whatever throws before this line leaves the batch as it was.
  term_.resize(kept);
  weight_.resize(kept);
  row_begin_.push_back(kept);
}

template <typename Count>
void Queries::append_counts(std::span<const std::uint32_t> terms, std::span<const Count> counts,
                            const TermWeighting& weighting) {
  check_terms(terms, counts.size());
  if (!terms.empty() && terms.back() >= weighting.idf.size())
    refuse("term " + std::to_string(terms.back()) + " is not below " +
           std::to_string(weighting.idf.size()));
  if (!terms.empty() && weighting.tf.empty()) refuse("the table of term frequencies is empty");

  // Past its end, the table of term frequencies is flat.
  append(terms, [&](std::size_t i) {
    const std::size_t count = std::min<std::size_t>(counts[i], weighting.tf.size() - 1);
    return weighting.tf[count] * weighting.idf[terms[i]];
  });
}

void Queries::append(const Queries& others) {
  const std::uint64_t begin = row_begin_.back();
  term_.resize(begin);  // drops what a call that failed may have left
  weight_.resize(begin);

  term_.insert(term_.end(), others.term_.begin(), others.term_.end());
  weight_.insert(weight_.end(), others.weight_.begin(), others.weight_.end());
  for (std::size_t row = 1; row < others.row_begin_.size(); ++row)
    row_begin_.push_back(begin + others.row_begin_[row]);
}

void Queries::add_counts(std::span<const std::uint32_t> terms,
                         std::span<const std::uint32_t> counts, const TermWeighting& weighting) {
  append_counts(terms, counts, weighting);
}

void add_row_of_counts(const QueryView& queries, std::size_t q, const TermWeighting& weighting,
                       Queries& weighed) {
  const std::uint64_t begin = queries.row_begin[q];
  const std::size_t size = queries.row_begin[q + 1] - begin;
  weighed.append_counts(std::span(queries.term + begin, size),
                        std::span(queries.count + begin, size), weighting);
}

void Queries::add_weights(std::span<const std::uint32_t> terms, std::span<const double> weights) {
  check_terms(terms, weights.size());
  append(terms, [&](std::size_t i) {
    // A NaN is not above 0, either.
    return weights[i] > 0 ? weights[i] : 0.0;
  });
}

}  // namespace kindred
