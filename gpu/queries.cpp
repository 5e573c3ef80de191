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
  const auto fault = std::adjacent_find(terms.begin(), terms.end(), std::greater_equal<>{});
  if (fault != terms.end())
    refuse("term " + std::to_string(fault[1]) + " follows term " + std::to_string(fault[0]) +
           ", they must ascend");
}

}  // namespace

template <typename WeightAt>
void Queries::append(std::span<const std::uint32_t> terms, WeightAt&& weight_at) {
  term_.resize(row_begin_.back());  // drops what a call that failed may have left
  weight_.resize(row_begin_.back());
  double largest = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) largest = std::max(largest, weight_at(i));
  if (!std::isfinite(largest)) refuse("a weight is not finite");
  int exponent = 0;
  std::frexp(largest, &exponent);  // a power of two changes no bit, but keeps squares in range
  const double power = std::ldexp(1.0, -std::max(exponent, -1000));
  const auto scaled = [&](std::size_t i) { return weight_at(i) * power; };
  const double length = std::sqrt(squared_length(terms.size(), scaled));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double weight = largest > 0 ? scaled(i) / length : 0;
    if (!(weight > 0)) continue;
    term_.push_back(terms[i]);
    weight_.push_back(weight);
  }
  row_begin_.push_back(term_.size());
}

void Queries::add_counts(std::span<const std::uint32_t> terms,
                         std::span<const std::uint32_t> counts, const TermWeighting& weighting) {
  check_terms(terms, counts.size());
  if (!terms.empty() && terms.back() >= weighting.idf.size())
    refuse("term " + std::to_string(terms.back()) + " is not below " +
           std::to_string(weighting.idf.size()));
  if (!terms.empty() && weighting.tf.empty()) refuse("the table of term frequencies is empty");
  append(terms, [&](std::size_t i) {
    const std::size_t count = std::min<std::size_t>(counts[i], weighting.tf.size() - 1);
    return weighting.tf[count] * weighting.idf[terms[i]];
  });
}

void add_row_of_counts(const QueryView& queries, std::size_t q, const TermWeighting& weighting,
                       Queries& weighed) {
  const std::uint64_t begin = queries.row_begin[q];
  const std::size_t size = queries.row_begin[q + 1] - begin;
  const std::vector<std::uint32_t> counts(queries.count + begin, queries.count + begin + size);
  weighed.add_counts({queries.term + begin, size}, counts, weighting);
}

void Queries::add_weights(std::span<const std::uint32_t> terms, std::span<const double> weights) {
  check_terms(terms, weights.size());
  append(terms, [&](std::size_t i) { return weights[i] > 0 ? weights[i] : 0.0; });
}

}  // namespace kindred
